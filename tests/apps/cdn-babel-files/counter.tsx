interface CounterProps { name: string; step?: number }

function Counter({ name, step = 1 }: CounterProps) {
  const [count, setCount] = React.useState<number>(0);
  const change = (by: number): void => {
    if (count + by < 0) {
      setCount(0);
      return;
    }
    setCount(count + by);
  };
  return (
    <section>
      <h2>{name}: {count}</h2>
      <button onClick={() => change(step)}>More {name}</button>
      <button onClick={() => change(-step)}>Fewer {name}</button>
    </section>
  );
}

(window as any).Counter = Counter;
