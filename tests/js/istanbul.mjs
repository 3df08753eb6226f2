// Our positions beside those of istanbul-lib-instrument, as comparable text.
import { createRequire } from 'node:module';
import { instrument } from '../../js/src/inject/index.mjs';

const require = createRequire(new URL('../../js/package.json', import.meta.url));
const { createInstrumenter } = require('istanbul-lib-instrument');

/** Istanbul's file coverage object for a source text. */
export function istanbulCoverage(code, goal = 'script') {
  const instrumenter = createInstrumenter({ esModules: goal === 'module', compact: false, autoWrap: true });
  instrumenter.instrumentSync(code, 'file.js');
  return instrumenter.lastFileCoverage();
}

/** Istanbul's code for a script. */
export function istanbulCode(code) {
  return createInstrumenter({ esModules: false, compact: false, coverageGlobalScopeFunc: false, coverageGlobalScope: 'globalThis' }).instrumentSync(code, 'file.js');
}

/** Starts of all lines. */
function lineStarts(code) {
  const starts = [0];
  const lineEnd = /\r\n|[\n\r\u2028\u2029]/g;
  while (lineEnd.exec(code)) starts.push(lineEnd.lastIndex);
  return starts;
}

/** Istanbul's places to offsets. */
export function places(code) {
  const starts = lineStarts(code);
  return ({ line, column }) => starts[line - 1] + column;
}

/** Offset to `line:column`, lines from 1, columns from 0. */
function lineColumns(code) {
  const starts = lineStarts(code);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return `${low + 1}:${offset - starts[low]}`;
  };
}

/** What `instrument` found: sorted lists of text, one entry a statement, function and branch. */
export function ours(code, result) {
  const place = lineColumns(code);
  const range = ([start, end]) => `${place(start)}-${place(end)}`;
  return {
    statements: result.statements.map(range),
    functions: result.functions.map(({ name, decl, loc }) => `${name} ${range(decl)} ${range(loc)}`),
    branches: result.branches.map(({ type, loc, arms }) => `${type} ${range(loc)}: ${arms.map((arm) => (arm[0] === arm[1] ? '-' : range(arm))).join(' ')}`),
  };
}

/** The same from Istanbul's coverage object. */
export function theirs(coverage) {
  const place = ({ line, column }) => `${line}:${column}`;
  const range = ({ start, end }) => (start.line === undefined ? '-' : `${place(start)}-${place(end)}`);
  return {
    statements: Object.values(coverage.statementMap).map(range),
    functions: Object.values(coverage.fnMap).map(({ name, decl, loc }) => `${name} ${range(decl)} ${range(loc)}`),
    branches: Object.values(coverage.branchMap).map(({ type, loc, locations }) => `${type} ${range(loc)}: ${locations.map(range).join(' ')}`),
  };
}

/** Entries that only one side has. */
export function difference(a, b) {
  const count = new Map();
  for (const one of a) count.set(one, (count.get(one) ?? 0) + 1);
  for (const one of b) count.set(one, (count.get(one) ?? 0) - 1);
  return {
    ours: [...count].filter(([, n]) => n > 0).map(([one]) => one),
    theirs: [...count].filter(([, n]) => n < 0).map(([one]) => one),
  };
}

/** Compares one file; `same order` says whether even the numbering agrees. */
export function compare(code, goal) {
  const result = instrument(code, 'file.js', { goal });
  const mine = ours(code, result);
  const other = theirs(istanbulCoverage(code, result.goal));
  const report = {};
  for (const kind of ['statements', 'functions', 'branches']) {
    report[kind] = { count: mine[kind].length, ...difference(mine[kind], other[kind]), sameOrder: mine[kind].join() === other[kind].join() };
  }
  return report;
}
