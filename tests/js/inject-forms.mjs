// The text that is put in: where, in which form, and that all of it can be taken out again.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { FIRST_COUNTER, accessorName, instrument, parse, strip } from '../../js/src/inject/index.mjs';
import { check, ok, same } from './checks.mjs';
import { OPTIONS, source } from './programs.mjs';

const require = createRequire(new URL('../../js/package.json', import.meta.url));
const { transformSync } = require('esbuild');
const installed = (name) => readFileSync(require.resolve(name), 'utf8');

/** Instrumented text with the accessor as N, without its declaration, and with visible markers. */
function short(code, options = {}) {
  const { code: text, name } = instrument(code, 'a.js', { goal: 'script', ...options });
  return text.replace(new RegExp(`function ${name}\\(\\)\\{var g=.*?\\v\\}`), '').replaceAll(name, 'N').replaceAll('\v', '~');
}

const FORMS = [
  ['a statement', 'a()', 'N()[0]++;a()'],
  ['a lone body', 'while (a) b();', 'N()[0]++;while (a) ~{N()[1]++;b();~}'],
  ['an initial value', 'var a = b;', 'var a = (N()[0]++,b~);'],
  ['a function keeps its name', 'var a = () => {};', 'N()[0]++;var a = () => {N()[1]++;};'],
  ['a function further back', 'var a = b, c = class {};', 'N()[1]++;var a = (N()[0]++,b~), c = class {};'],
  ['an if without else', 'if (a) b();', 'N()[0]++;if (a) ~{N()[2]++;b();~}else{N()[3]++}'],
  ['an if with else', 'if (a) { b(); } else ;', 'N()[0]++;if (a) {N()[2]++; b(); } else ~{N()[3]++;;~}'],
  ['a condition', 'a ? b : (c)', 'N()[0]++;a ? (N()[1]++,b~) : ((N()[2]++,c~))'],
  ['operands', 'a && (b || c);', 'N()[0]++;a && ((N()[2]++,b~) || (N()[3]++,c~));'],
  ['a switch', 'switch (a) { case (b) /* : */ : c(); default: }', 'N()[0]++;switch (a) { case (b) /* : */ :N()[2]++; c(); default:N()[3]++; }'],
  ['a function', 'function f() { a(); b(); }', 'function f() {var _cv=N();_cv[2]++; a(); _cv[1]++;b(); }'],
  ['a function of one counter', 'function f() { a() }', 'function f() {N()[1]++; a() }'],
  ['a directive', 'function f() { "use strict"; a(); b() }', 'function f() { "use strict"; var _cv=N();_cv[2]++;a(); _cv[1]++;b() }'],
  ['a directive alone', 'function f() { "use strict" }', 'function f() { "use strict";{N()[0]++} }'],
  ['an arrow', 'f = (a) => (a)', 'N()[0]++;f = (a) => ((N()[2]++,a~))'],
  ['a default value', 'function f(a = b) {}', 'function f(a = (N()[1]++,b~)) {N()[0]++;}'],
  ['a default function', 'var { a = () => {} } = b', 'var { a = (N()[2]++,~{["a"]:() => {N()[1]++;}~}["a"]) } = (N()[0]++,b~)'],
  ['a field', 'class A { b = c; static #d = function () {} }', 'class A { b = (N()[0]++,c~); static #d = (N()[1]++,~{["#d"]:function () {N()[2]++;}~}["#d"]) }'],
  ['a field of unknown name', 'class A { [b] = () => {}; static [c] = () => {} }', 'class A { ~#_cv0=N()[0]++;[b] = () => {N()[2]++;}; ~static{N()[1]++}static [c] = () => {N()[3]++;} }'],
  ['a label', 'a: for (let b = () => {};;) continue a;', 'N()[0]++;a: for (let b = () => {N()[4]++;};;) ~{N()[3]++;continue a;~}'],
  ['a sequence, fine', 'a(), (b()), c, d()', 'N()[0]++;a(), (~N()[1]++,b()), c, N()[2]++,d()', { fine: true }],
  ['conditions, fine without branches', 'a && b(); c ? d : e()', 'N()[0]++;a && (N()[2]++,b()~); N()[1]++;c ? d : (N()[3]++,e()~)', { fine: true, branches: false }],
  ['no branches', 'if (a) b(); else c = d || e', 'N()[0]++;if (a) ~{N()[1]++;b();~} else ~{N()[2]++;c = d || e~}', { branches: false }],
];

for (const [name, code, expected, options] of FORMS) {
  check(`form of ${name}`, () => {
    same(short(code, options), expected);
    same(strip(instrument(code, 'a.js', options).code), code);
  });
}

check('counters that always agree are written once', () => {
  const { statements, functions, branches, shared, code } = instrument('function f() { try { if (a || b) c(); } finally { d(); } }', 'a.js');
  same([statements.length, functions.length, branches.map(({ arms }) => arms.length)], [4, 1, [2, 2]]);
  // try and if with the function; the first operand too; c() with its arm
  same(shared, [[0, 4], [1, 4], [7, 4], [2, 5]]);
  same([...code.matchAll(/\[(\d+)\]\+\+/g)].map((match) => +match[1]), [4, 8, 5, 6, 3]);
});

check('the accessor stands behind hashbang, comments and directives', () => {
  const at = (code, options) => instrument(code, 'a.js', options).code.indexOf('function __cv');
  same(at('#!/usr/bin/env node\nlet a = 1'), 20);
  same(at('--> closes a comment\na()', { goal: 'script' }), 21);
  same(at('/* c */ "use strict"; a()'), 22);
  same(at('"use strict"\na()'), 13);
  same(instrument('"use strict"', 'a.js').code, '"use strict"');
  ok(!instrument('"use strict"\na()\nb()', 'a.js').code.match(/\n/g).slice(2).length, 'no line more');
});

check('goals and parsers', () => {
  const goal = (code, options) => instrument(code, 'a.js', options).goal;
  same([goal('a()'), goal('import "a"'), goal('with (a) b()'), goal('await a'), goal('export{}'), goal('import.meta.url'), goal('import("a")')], ['script', 'module', 'script', 'module', 'module', 'module', 'script']);
  same(goal('return a', { handler: true }), 'script');
  for (const [code, options] of [['a b', {}], ['<p/>', { goal: 'script' }], ['import "a"', { goal: 'script' }], ['return 1', { goal: 'script' }], ['await 1', { handler: true }], ['let a: number', {}]]) {
    let error = null;
    try {
      parse(code, options);
    } catch (thrown) {
      error = thrown;
    }
    ok(error instanceof SyntaxError && /\(\d+:\d+\)/.test(error.message), `${code}: ${error}`);
  }
  same(parse('a', { jsx: true }).parser, 'acorn');
});

check('the value of a javascript: URL stays', () => {
  const url = (code) => instrument(code, 'page.html#0', { goal: 'url' });
  same([url('go() || 0').statements.length, url('go() || 0').branches.length], [1, 1]);
  const skipped = url('if (go()) stop()');
  same([skipped.code, skipped.statements.length, skipped.skipped.includes('value')], ['if (go()) stop()', 0, true]);
});

check('long chains are walked without a deep stack', () => {
  const pieces = Array.from({ length: 3000 }, (_, i) => `"piece ${i}"`);
  const sum = `var text = ${pieces.join(' + ')};`;
  same(strip(instrument(sum, 'a.js').code), sum);
  const chain = `var s = '';${pieces.slice(0, 800).map((one, i) => `if (a === ${i}) s = ${one}; `).join('else ')}`;
  parse(instrument(chain, 'a.js').code);
});

check('hints leave out what Istanbul leaves out', () => {
  const kept = (code) => {
    const { statements, functions, branches } = instrument(code, 'a.js');
    return [statements.map(([s, e]) => code.slice(s, e)), functions.length, branches.map(({ arms }) => arms.length)];
  };
  same(kept('/* istanbul ignore next */ a(() => 1);\nb()'), [['b()'], 0, []]);
  same(kept('/* istanbul ignore if */ if (a) b(); else c();'), [['/* istanbul ignore if */ if (a) b(); else c();'.slice(25), 'c();'], 0, [1]]);
  same(kept('/* istanbul ignore else */ if (a) b(); else c();')[2], [1]);
  same(kept('x = a ? /* istanbul ignore next */ b : c || /* istanbul ignore next */ (d);')[2], [1, 1]);
  same(kept('switch (a) { /* istanbul ignore next */ case 1: b(); default: c() }'), [['switch (a) { /* istanbul ignore next */ case 1: b(); default: c() }', 'c()'], 0, [1]]);
  same(kept('a; // not a hint: istanbul ignore next\nb'), [['a;', 'b'], 0, []]);
  const whole = instrument('/* istanbul ignore file */ a()', 'a.js');
  same([whole.code, whole.statements.length, whole.skipped.includes('ignore file')], ['/* istanbul ignore file */ a()', 0, true]);
});

check('text that could not be told from counters is left as it is', () => {
  const code = 'a(b\v)';
  const { skipped, code: text } = instrument(code, 'a.js');
  same([text, skipped.includes('vertical tab')], [code, true]);
  same(instrument('a\v(b)', 'a.js').skipped, '');
});

check('an inline script stays inside its element', () => {
  const code = "class A { '<\\/script>' = () => 1; b = '<\\/script>' }";
  const { code: text } = instrument(code, 'a</script>.html#0');
  ok(!/<\/script|<!--/i.test(text), text);
  same(strip(text), code);
});

check('names of accessors differ', () => {
  const names = new Set(Array.from({ length: 20000 }, (_, i) => accessorName(`assets/index.html#${i}`)));
  same(names.size, 20000);
  for (const name of names) ok(/^__cv[0-9a-f]{10}$/.test(name), name);
  same(accessorName('ä') === accessorName('a'), false);
});

/** Functions of a program in source order. */
function functionsOf(ast) {
  const found = [];
  const stack = [ast];
  while (stack.length > 0) {
    const node = stack.pop();
    if (/Function/.test(node.type)) found.push(node);
    for (const key in node) {
      for (const child of [node[key]].flat()) if (child && typeof child.type === 'string') stack.push(child);
    }
  }
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

for (const [name, code] of [['acorn', installed('acorn')], ['lodash', installed('lodash')], ['the torture script', source('script.js')]]) {
  check(`the text of each function of ${name}: stripped it is the source's, and its first counter is its own`, () => {
    const goal = { goal: 'script' };
    const before = functionsOf(parse(code, goal).ast);
    for (const options of OPTIONS) {
      const result = instrument(code, 'a.js', { ...goal, ...options });
      ok(strip(result.code) === code);
      const after = functionsOf(parse(result.code, goal).ast).filter((one) => !/^function(\(\)\{return a\}| __cv| install)|^\(.*\) =>.*\bdefine\b/.test(result.code.slice(one.start, one.end)));
      const inner = after.filter((one) => one.start > result.code.indexOf('\v}'));
      same(inner.length, before.length);
      inner.forEach((one, i) => {
        const text = result.code.slice(one.start, one.end);
        ok(strip(text) === code.slice(before[i].start, before[i].end), text.slice(0, 500));
        if (before[i].params.some((parameter) => parameter.type !== 'Identifier')) return;
        const [, accessor, slot] = FIRST_COUNTER.exec(text);
        const { loc } = result.functions[slot - result.statements.length];
        same([accessor, ...loc], [result.name, before[i].body.start, before[i].body.end]);
      });
    }
  });
}

check('a printer in the page (Babel and the like) leaves a function its own first counter', () => {
  const result = instrument('const addOne = (e) => { a(); return b.some((one) => one === e); };', 'a.jsx');
  const printed = transformSync(result.code).code;
  ok(/var _cv = /.test(printed), printed);
  const [, accessor, slot] = FIRST_COUNTER.exec(printed.slice(printed.indexOf('const addOne')));
  same([accessor, +slot, result.functions.length], [result.name, result.statements.length, 2]);
});

for (const name of ['three.core.js', 'react-dom']) {
  check(`all inserted text can be taken out of ${name}`, () => {
    const code = installed(name === 'react-dom' ? 'react-dom/client' : 'three').length && readFileSync(
      name === 'react-dom' ? require.resolve('react-dom').replace(/index\.js$/, 'cjs/react-dom-client.production.js') : require.resolve('three').replace(/three\.cjs$/, name), 'utf8');
    for (const options of [{}, { fine: true }]) {
      const result = instrument(code, 'a.js', options);
      ok(strip(result.code) === code);
      ok(result.code.length < 2.5 * code.length, `${result.code.length / code.length}`);
    }
  });
}
