import { Counter } from './counter';

export default function Page() {
  return (
    <main>
      <h1>Counting</h1>
      <Counter start={0} />
    </main>
  );
}
