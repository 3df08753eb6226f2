import { useState } from 'react';

export default function Counter() {
  const [count, setCount] = useState(0);
  const add = () => {
    const next = count + 1;
    setCount(next);
  };
  return (
    <button type="button" onClick={add}>
      count is {count}
    </button>
  );
}
