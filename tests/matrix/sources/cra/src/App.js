import { useState } from 'react';

export default function App() {
  const [count, setCount] = useState(0);
  const add = () => {
    const next = count + 1;
    setCount(next);
  };
  return (
    <main>
      <h1>Counting</h1>
      <button type="button" onClick={add}>
        count is {count}
      </button>
    </main>
  );
}
