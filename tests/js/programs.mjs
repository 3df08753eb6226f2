// Runs programs with and without counters, in contexts of their own.
import { readFileSync } from 'node:fs';
import vm from 'node:vm';
import { instrument, strip } from '../../js/src/inject/index.mjs';

const folder = new URL('./torture/', import.meta.url);

/** Text of a file in tests/js/torture. */
export const source = (name) => readFileSync(new URL(name, folder), 'utf8');

/** All combinations of the options that change what is put in. */
export const OPTIONS = [true, false].flatMap((branches) => [true, false].map((fine) => ({ branches, fine })));

/**
 * Runs a classic script until it calls `done`.
 *
 * @param {string} code
 * @returns {Promise<{notes: string[], context: object}>} what it noted, and its global object
 */
export function runScript(code) {
  return new Promise((resolve, reject) => {
    const notes = [];
    const note = (...values) => {
      notes.push(values.map(String).join(' '));
    };
    const text = (fn) => strip(Function.prototype.toString.call(fn));
    const context = vm.createContext({ note, text });
    context.done = (error) => (error ? reject(error) : resolve({ notes, context }));
    try {
      vm.runInContext(code, context, { filename: 'program.js' });
    } catch (error) {
      reject(error);
    }
  });
}

/** Counter array of a script that ran in a context. */
export const countsOf = (context, key) => vm.runInContext('this', context).__cov$[key];

/** Instruments, with the counts of a run put to their positions: `{statements, functions, branches}` of [text, count]. */
export function counted(code, result, counts) {
  const real = new Map(result.shared);
  let slot = 0;
  const next = () => {
    const at = slot++;
    return counts[real.get(at) ?? at];
  };
  const range = ([start, end]) => `${start}-${end}`;
  return {
    statements: result.statements.map((one) => [range(one), next()]),
    functions: result.functions.map(({ loc }) => [range(loc), next()]),
    branches: result.branches.map(({ type, loc, arms }) => [`${type} ${range(loc)}`, ...arms.map(next)]),
  };
}

/** Runs a CommonJS module and returns its exports. */
export function runCommonJs(code, globals = {}) {
  const module = { exports: {} };
  const context = vm.createContext({ module, exports: module.exports, console, ...globals });
  vm.runInContext(code, context);
  return module.exports;
}

export { instrument };
