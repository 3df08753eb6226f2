function App() {
  const [shown, setShown] = React.useState(true);
  const Counter = window.Counter;
  return (
    <main>
      <button onClick={() => setShown(!shown)}>{shown ? 'Hide' : 'Show'}</button>
      {shown && <Counter name="apples" step={1} />}
      {shown && <Counter name="pears" step={5} />}
    </main>
  );
}

setTimeout(() => ReactDOM.createRoot(document.getElementById('root')).render(<App />), 0);
