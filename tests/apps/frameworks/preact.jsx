/** @jsxRuntime classic @jsx h */
import { h, render } from 'preact';
import { useState } from 'preact/hooks';
function add() { __cv00000000aa()[1]++; }
function edit() { __cv00000000aa()[2]++; }
function type() { __cv00000000aa()[3]++; }
function outer() { __cv00000000aa()[4]++; }
function App() {
  const [count, setCount] = useState(0);
  return <div onClick={outer}>
    <button onClick={() => setCount(count + 1)}>Count {count}</button>
    <button onClick={add}>Add</button><span onDblClick={edit}>Edit me</span><input aria-label="Text" onInput={type} />
  </div>;
}
render(<App />, document.getElementById('root'));
