// Named checks, run one after another in this process; the outcome goes to stdout as JSON {name: '' or what is wrong}.
import { deepStrictEqual, ok } from 'node:assert';

const checks = [];

/** Adds a check: a function that throws where something is wrong. */
export function check(name, run) {
  checks.push([name, run]);
}

/** Like deepStrictEqual, but the message shows both sides cut short. */
export function same(actual, expected, what = '') {
  try {
    deepStrictEqual(actual, expected);
  } catch {
    const show = (value) => JSON.stringify(value, null, 1)?.slice(0, 1500);
    throw new Error(`${what} is ${show(actual)}, not ${show(expected)}`);
  }
}

export { ok };

/** Runs all checks and prints their outcome. */
export async function report() {
  const outcome = {};
  for (const [name, run] of checks) {
    try {
      await run();
      outcome[name] = '';
    } catch (error) {
      outcome[name] = String(error.stack ?? error).slice(0, 3000);
    }
  }
  process.stdout.write(JSON.stringify(outcome));
}
