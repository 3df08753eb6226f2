// Instrumented programs do what they did before.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { instrument, strip } from '../../js/src/inject/index.mjs';
import { check, ok, same } from './checks.mjs';
import { OPTIONS, countsOf, runCommonJs, runScript, source } from './programs.mjs';

const require = createRequire(new URL('../../js/package.json', import.meta.url));
const installed = (name) => readFileSync(require.resolve(name), 'utf8');

check('a classic script behaves as before', async () => {
  const code = source('script.js');
  const before = (await runScript(code)).notes;
  ok(before.length > 60);
  for (const options of OPTIONS) {
    const result = instrument(code, 'script.js', { goal: 'script', ...options });
    const { notes, context } = await runScript(result.code);
    same(notes, before, JSON.stringify(options));
    ok(countsOf(context, 'script.js').some((count) => count > 1));
  }
});

check('a script without the local variable behaves as before', async () => {
  const code = source('script.js') + '\nvar _cv;';
  const result = instrument(code, 'script.js', { goal: 'script' });
  ok(!result.code.includes('var _cv='));
  same((await runScript(result.code)).notes, (await runScript(code)).notes);
});

check('an app that patches prototypes and freezes them behaves as before', async () => {
  const code = source('hostile.js');
  for (const options of OPTIONS) {
    same((await runScript(instrument(code, 'hostile.js', options).code)).notes, (await runScript(code)).notes);
  }
});

const MODULES = ['module.mjs', 'cycle.mjs', 'default.mjs', 'shadow.mjs'];

/** Imports the modules of tests/js/torture after a change of their text; what they noted. */
async function runModules(change) {
  const folder = mkdtempSync(join(tmpdir(), 'modules-'));
  const notes = [];
  globalThis.torture = {
    note: (...values) => notes.push(values.map(String).join(' ')),
    text: (fn) => strip(Function.prototype.toString.call(fn)),
  };
  try {
    for (const name of MODULES) writeFileSync(join(folder, name), change(source(name), name));
    const load = (name) => import(pathToFileURL(join(folder, name)).href);
    const { finished } = await load('module.mjs');
    return [...notes, finished, (await load('shadow.mjs')).result];
  } finally {
    delete globalThis.torture;
    rmSync(folder, { recursive: true });
  }
}

check('modules behave as before, in a cycle too', async () => {
  const before = await runModules((code) => code);
  ok(before.length > 8 && before.at(-2) === true);
  globalThis.window = globalThis; // shadow.mjs hides both other names of the global object
  for (const options of OPTIONS) {
    const run = `${JSON.stringify(options)}/`;
    same(await runModules((code, name) => instrument(code, run + name, options).code), before, run);
    ok(globalThis.__cov$[run + 'cycle.mjs'].some((count) => count > 0));
    ok(globalThis.__cov$[run + 'shadow.mjs'].some((count) => count > 0));
  }
  delete globalThis.window;
});

check('instrumented acorn parses lodash to the same tree', () => {
  const acorn = installed('acorn');
  const lodash = installed('lodash');
  const tree = (code) => JSON.stringify(runCommonJs(code).parse(lodash, { ecmaVersion: 2022, locations: true }));
  const before = tree(acorn);
  for (const options of OPTIONS) ok(tree(instrument(acorn, 'acorn.js', options).code) === before);
});

check('instrumented lodash computes the same', () => {
  const code = installed('lodash');
  const compute = (text) => {
    const _ = runCommonJs(text);
    const rows = _.range(200).map((i) => ({ id: i, group: `g${i % 7}`, value: (i * 37) % 101, tags: _.times(i % 4, String) }));
    return JSON.stringify([
      _.groupBy(rows, 'group'),
      _.orderBy(rows, ['value', 'id'], ['desc', 'asc']),
      _.chain(rows).filter((row) => row.value > 50).map('tags').flatten().uniq().value(),
      _.template('<% _.forEach(rows, function (row) { %><li><%- row.id %></li><% }) %>', { imports: { _ } })({ rows }),
      _.merge({}, rows[3], { tags: ['x'], deep: { a: [1, { b: 2 }] } }),
      _.isEqual(_.cloneDeep(rows), rows),
      [_.camelCase('foo bar-baz'), _.kebabCase('FooBar'), _.words('a b, c & d'), _.deburr('déjà vu'), _.pad('x', 9, '-')],
      _.zipObject(['a', 'b'], [1, 2]),
      _.functions(_).length,
      strip(String(_.curry)),
    ]);
  };
  const before = compute(code);
  for (const options of OPTIONS) ok(compute(instrument(code, 'lodash.js', options).code) === before);
});

check('TypeScript, JSX and decorators are read by Babel and give the same counters', () => {
  const typed = 'enum E { A, B }\nnamespace N { export const x: number = 1 }\nabstract class C<T> { abstract m(): void; declare d: string; constructor(private a?: number, public b = 2) {} f = (x: T): T => x; o(): void; o(x?: number): void {} }\nexport function g<T>(this: Window, a: T, b?: T): a is T & {} { return (a as unknown as T)! satisfies T ? true : false }\ntype F = () => void; interface I { (): void } declare const z: number; declare function q(): void;\n';
  const result = instrument(typed, 'a.ts', { typescript: true });
  same([result.parser, result.goal], ['babel', 'module']);
  same(result.statements.map(([s, e]) => typed.slice(s, e)).filter((text) => !/^[12x]$/.test(text)).length, 2);
  ok(instrument(result.code.replaceAll('\v', ' '), 'b.ts', { typescript: true }).statements.length >= result.statements.length);
  same(strip(result.code), typed);
  const jsx = 'const App = ({ items = [] }) => <ul onClick={() => go()}>{items.length ? items.map((i) => <li key={i}>{i && <b>{i}</b>} text</li>) : <p>none</p>}</ul>;\n';
  const app = instrument(jsx, 'a.jsx', { jsx: true });
  same([app.parser, app.functions.length, app.branches.length, strip(app.code)], ['babel', 3, 3, jsx]);
  const decorated = '@tag((x) => x) class A { @(log || (() => {})) m() { return 1 } accessor a = 1; @tag static s = () => 1 }\n';
  const decorator = instrument(decorated, 'd.js', { goal: 'script' });
  same([decorator.parser, strip(decorator.code)], ['babel', decorated]);
});

check('acorn and Babel lead to the same code', () => {
  for (const [name, code] of [['script', "var a = 1, f = () => a || 2; class B { #c = 1; static { a++ } get d() { return this?.#c ?? 3 } ['e'] = 1 }\nfor (const x of [1]) if (x) f(); else ;\nlabel: { break label }\n"], ['react', installed('react')]]) {
    const plain = instrument(code, name, { goal: 'script', fine: true });
    const babel = instrument(code, name, { goal: 'script', fine: true, typescript: true });
    same([plain.parser, babel.parser], ['acorn', 'babel']);
    ok(plain.code === babel.code, name);
  }
});
