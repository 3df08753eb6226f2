import { createRoot } from 'react-dom/client';
import { useState } from 'react';
function add() { __cv00000000aa()[1]++; }
function edit() { __cv00000000aa()[2]++; }
function type() { __cv00000000aa()[3]++; }
function App() {
  const [count, setCount] = useState(0);
  return <div onClick={function outer() { __cv00000000aa()[4]++; }}>
    <button onClick={() => setCount(count + 1)}>Count {count}</button>
    <button onClick={add}>Add</button><span onDoubleClick={edit}>Edit me</span><input aria-label="Text" onChange={type} />
  </div>;
}
createRoot(document.getElementById('root')).render(<App />);
