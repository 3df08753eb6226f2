import { useState } from 'react';

export default function Old() {
  const [open, setOpen] = useState(false);
  const toggle = () => {
    setOpen(!open);
  };
  return (
    <main>
      <button type="button" onClick={toggle}>
        {open ? 'Close' : 'Open'}
      </button>
      {open && <p>Rendered by the pages router.</p>}
    </main>
  );
}
