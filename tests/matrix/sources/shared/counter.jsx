import { useState } from 'react';

export function Counter({ start }) {
  const [count, setCount] = useState(start);
  function add() {
    const next = count + 1;
    if (next > 100) {
      setCount(0);
      return;
    }
    setCount(next);
  }
  return (
    <button type="button" onClick={add}>
      count is {count}
    </button>
  );
}
