// Counts are exact: those that are written once for two as well, compared with Istanbul's of the same run.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import vm from 'node:vm';
import { instrument } from '../../js/src/inject/index.mjs';
import { check, ok, same } from './checks.mjs';
import { istanbulCode, places } from './istanbul.mjs';
import { counted, countsOf, runScript, source } from './programs.mjs';

const require = createRequire(new URL('../../js/package.json', import.meta.url));

/** Our counts and Istanbul's by kind and position, of one run each. */
async function both(code, run) {
  const result = instrument(code, 'program.js', { goal: 'script' });
  const ours = counted(code, result, countsOf(await run(result.code), 'program.js'));
  const context = await run(istanbulCode(code));
  const theirs = vm.runInContext('__coverage__', context)['file.js'];
  const offset = places(code);
  const range = ({ start, end }) => `${offset(start)}-${offset(end)}`;
  const table = (rows) => Object.fromEntries(rows.map(([key, ...values]) => [key, values.join()]));
  return [
    { s: table(ours.statements), f: table(ours.functions), b: table(ours.branches) },
    {
      s: table(Object.entries(theirs.statementMap).map(([id, loc]) => [range(loc), theirs.s[id]])),
      f: table(Object.entries(theirs.fnMap).map(([id, { loc }]) => [range(loc), theirs.f[id]])),
      b: table(Object.entries(theirs.branchMap).map(([id, { type, loc }]) => [`${type} ${range(loc)}`, ...theirs.b[id]])),
    },
  ];
}

const inContext = (globals, after = '') => (code) => {
  const context = vm.createContext({ console, ...globals });
  vm.runInContext(code + after, context);
  return context;
};

for (const name of ['nbody', 'sieve', 'life', 'objects', 'strings']) {
  check(`counts of the ${name} loop are Istanbul's`, async () => {
    const code = readFileSync(new URL(`../../benchmarks/loops/${name}.js`, import.meta.url), 'utf8').replace(/300000|3000000|generation < 40|round < 60|round < 400/g, (text) => text.replace(/\d+/, '20'));
    const [ours, theirs] = await both(code, inContext({}, '\nrun();'));
    same(ours, theirs);
  });
}

check('counts of acorn at work are Istanbul\'s', async () => {
  const code = readFileSync(require.resolve('acorn'), 'utf8');
  const lodash = readFileSync(require.resolve('lodash'), 'utf8');
  const run = (text) => inContext({ module: { exports: {} }, exports: {}, lodash }, '\n(module.exports.parse ?? exports.parse)(lodash, { ecmaVersion: 2022 });')(text);
  const [ours, theirs] = await both(code, run);
  ok(Object.values(ours.s).filter((count) => count > 0).length > 1000);
  same(ours, theirs);
});

check('counts of the torture script are Istanbul\'s', async () => {
  // Istanbul changes names and texts, which the notes show; the flow of control is the same.
  const code = source('script.js').replace(/^note\(text\(.*$/gm, '').replace(/^in a comment.*$/gm, '').replace(/^note\(new Function.*$/gm, '');
  const run = async (text) => (await runScript(text)).context;
  const [ours, theirs] = await both(code, run);
  for (const kind of ['s', 'f', 'b']) {
    const different = Object.keys(ours[kind]).filter((key) => ours[kind][key] !== theirs[kind][key]);
    // Istanbul does not count private methods.
    const wanted = kind === 'f' ? ['1 for undefined: { return this.plain }'] : [];
    same(different.map((key) => `${ours[kind][key]} for ${theirs[kind][key]}: ${code.slice(...key.replace(/.* /, '').split('-').map(Number))}`), wanted, kind);
  }
});

check('a thrown exception stops counting where it was thrown', async () => {
  const code = 'function f() { note("a"); boom(); note("never") }\ntry { f() } catch { note("b") }\nfunction g(x = boom()) { note("never") }\ntry { g() } catch { const a = 1, b = boom(), c = 2 }\ndone()';
  const result = instrument(code, 'program.js');
  const notes = [];
  const context = vm.createContext({ note: (text) => notes.push(text) });
  context.done = () => {};
  try {
    vm.runInContext(result.code, context);
  } catch {
    // boom is not defined: the last one is caught by nobody
  }
  const counts = Object.fromEntries(counted(code, result, countsOf(context, 'program.js')).statements.map(([key, count]) => [code.slice(...key.split('-').map(Number)), count]));
  same([counts['boom();'], counts['note("never")'], counts['note("b")'], counts['1'], counts['boom()'], counts['2'], counts['done()']], [1, 0, 1, 1, 1, 0, 0]);
});
