import Link from 'next/link';
import { Counter } from './counter';

export const dynamic = 'force-dynamic';

export default async function Page() {
  const start = await Promise.resolve(3);
  return (
    <main>
      <h1>Counting from {start}</h1>
      <Counter start={start} />
      <Link href="/old">The older way</Link>
    </main>
  );
}
