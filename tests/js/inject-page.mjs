// What the page sees: the registry and `__coverage__`.
import { createRequire } from 'node:module';
import vm from 'node:vm';
import { instrument } from '../../js/src/inject/index.mjs';
import { check, ok, same } from './checks.mjs';

const require = createRequire(new URL('../../js/package.json', import.meta.url));
const { createCoverageMap } = require('istanbul-lib-coverage');

const CODE = 'function f(a) { if (a) b(); return a || 0 }\nfunction b() {}\nf(0); f(1);';

const location = () => ([start, end]) => ({ start: { line: 1, column: start }, end: { line: 1, column: end } });

/** The maps that the app's server answers with. */
function mapsOf(key, path, result) {
  const place = location();
  const numbered = (list) => Object.fromEntries(list.map((one, i) => [i, one]));
  return {
    [key]: {
      path,
      statementMap: numbered(result.statements.map(place)),
      fnMap: numbered(result.functions.map(({ name, decl, loc }) => ({ name, decl: place(decl), loc: place(loc), line: 1 }))),
      branchMap: numbered(result.branches.map(({ type, loc, arms }) => ({ type, loc: place(loc), locations: arms.map(place), line: 1 }))),
      shared: result.shared,
    },
  };
}

/** A page whose server answers requests for the maps. */
function page(maps, globals = {}) {
  const asked = [];
  class XMLHttpRequest {
    open(...call) {
      asked.push(call);
    }
    send() {
      if (maps === null) throw new Error('refused');
      this.status = 200;
      this.responseText = JSON.stringify(maps);
    }
  }
  const context = vm.createContext({ XMLHttpRequest, console, ...globals });
  return { asked, context, run: (code) => vm.runInContext(code, context) };
}

check('__coverage__ is Istanbul\'s, made when read, with live counts', () => {
  const one = instrument(CODE, 'app.js');
  const two = instrument('b();', 'page.html#0');
  const three = instrument('b();b()', 'page.html#1');
  const { asked, run } = page({ ...mapsOf('app.js', 'app.js', one), ...mapsOf('page.html#0', 'page.html', two), ...mapsOf('page.html#1', 'page.html', three) });
  run(one.code);
  same(asked, []);
  const read = () => JSON.parse(run('JSON.stringify(__coverage__)'));
  const first = read();
  same(asked, [['GET', '/__explorer__/coverage-maps.json', false]]);
  same(Object.keys(first), ['app.js']);
  same(first['app.js'].s, { 0: 2, 1: 1, 2: 2, 3: 1, 4: 1 });
  same([first['app.js'].f, first['app.js'].b], [{ 0: 2, 1: 1 }, { 0: [1, 1], 1: [2, 1] }]);
  ok(createCoverageMap(first).getCoverageSummary().toJSON().branches.pct === 100);
  const held = run('held = __coverage__["app.js"]');
  run(two.code);
  run(three.code);
  run('f(1)');
  same([held.s[0], held.f[1], held.b[0][0]], [3, 5, 2]);
  same(Object.values(read()['page.html'].s), [1, 1, 1]);
  same(asked.length, 1);
  run('__coverage__["app.js"].s[0] = 0');
  same(read()['app.js'].s[0], 0);
  same(structuredClone(held).f[1], 5);
});

check('__coverage__ can be replaced and deleted, and one of the app is left alone', () => {
  const { code } = instrument(CODE, 'app.js');
  const replaced = page({});
  replaced.run(code);
  same(replaced.run('__coverage__ = 5; __coverage__'), 5);
  same(replaced.run('delete globalThis.__coverage__; typeof __coverage__'), 'undefined');
  const own = page({}, { __coverage__: { own: true } });
  own.run(code);
  same(JSON.stringify(own.run('__coverage__')), '{"own":true}');
});

check('without maps there are plain counts', () => {
  const { run } = page(null);
  run(instrument(CODE, 'app.js').code);
  const entry = JSON.parse(run('JSON.stringify(__coverage__)'))['app.js'];
  same([entry.path, entry.s, entry.statementMap], ['app.js', {}, {}]);
  ok(Object.values(entry.counts).some((count) => count === 2));
});

check('the registry is hidden, shared by a script that is loaded twice, and maps names to keys', () => {
  const { code, name } = instrument(CODE, 'app.js');
  const { run } = page({});
  run(code);
  run(code);
  same(run(`__cvKeys$[${JSON.stringify(name)}]`), 'app.js');
  ok(run('Object.prototype.toString.call(__cov$["app.js"])') === '[object Uint32Array]');
  same(Math.max(...run('[...__cov$["app.js"]]')), 4);
  same(run('Object.keys(globalThis).filter((key) => /__cv.*\\$|__cov\\$/.test(key))').length, 0);
});

check('a handler attribute brings the registry only', () => {
  const { code, name } = instrument('go(); return false', 'page.html#3', { handler: true });
  ok(code.length < 420, code);
  const { run } = page({}, { go() {} });
  same(run(`(function () {${code}})()`), false);
  run(`(function () {${code}})()`);
  same(JSON.stringify([...run('__cov$["page.html#3"]')]), '[2,2]');
  same([run(`__cvKeys$["${name}"]`), run('typeof __coverage__')], ['page.html#3', 'undefined']);
  run(instrument(CODE, 'app.js').code);
  same(run('typeof __coverage__'), 'object');
});

check('a global object that cannot be written to does not stop the script', () => {
  const { run } = page({});
  run('Object.defineProperty = () => { throw new TypeError("not extensible") }');
  run(instrument('var result = ((a) => a || 2)();', 'app.js').code);
  same([run('result'), run('typeof __cov$')], [2, 'undefined']);
});
