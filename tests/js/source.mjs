// Sources that are yet to be built: what stays as it was, what is put in, and that bundlers may rename it.
import { createRequire } from 'node:module';
import vm from 'node:vm';
import { source } from '../../js/src/source.mjs';
import { FIRST_COUNTER, strip } from '../../js/src/inject/index.mjs';
import { check, ok, report, same } from './checks.mjs';

const require = createRequire(new URL('../../js/package.json', import.meta.url));
const babel = require('@babel/parser');
const { transformSync } = require('esbuild');

const PRELUDE = /\nfunction (__cv[0-9a-f]{10})\(\)\{.*\}\n$/;
const body = (code, key) => source({ code, key }).code.replace(PRELUDE, '');
const plain = (code, key) => body(code, key).replace(/__cv[0-9a-f]{10}\(\)\.__cv[0-9a-f]{10}/g, 'C').replace(/\v/g, '');
const parsed = (code, key) =>
  babel.parse(code, {
    sourceType: 'unambiguous',
    plugins: [['decorators', {}], ...(/tsx?$/.test(key) ? ['typescript'] : []), ...(/\.[cm]?ts$/.test(key) ? [] : ['jsx'])],
  });

check('JSX stays JSX and TypeScript stays TypeScript', () => {
  const code = 'type N = number;\nexport const Hello = <T,>({ n }: { n: N }) => <p title="a">{n > 1 ? <b>many</b> : n}</p>;\n';
  const text = plain(code, 'src/Hello.tsx');
  ok(text.includes('<p title="a">{n > 1 ? (C[3]++,<b>many</b>) : (C[4]++,n)}</p>'), text);
  ok(text.includes('type N = number;'), text);
  parsed(source({ code, key: 'src/Hello.tsx' }).code, 'a.tsx');
});

check('checkers pass over it, directives and imports stay first', () => {
  const code = "'use client'\nimport { a } from './a'\nimport './b.css'\na()\n";
  same(plain(code, 'src/x.jsx'), "// @ts-nocheck\n/* eslint-disable */\n'use client'\nimport { a } from './a'\nimport './b.css'\nC[0]++;a()\n");
  const inner = "export async function save() {\n  'use server'\n  return 1\n}\n";
  ok(plain(inner, 'src/x.ts').includes("{\n  'use server'\n  C[1]++;return 1"), plain(inner, 'src/x.ts'));
});

check('what stands behind the = at top level stays a literal', () => {
  const code = "export const dynamic = 'force-static'\nconst font = Inter({ subsets: ['latin'] }), size = 3\nexport default font\n";
  const text = plain(code, 'app/page.tsx');
  for (const line of code.trim().split('\n')) ok(text.includes(line), text);
  ok(plain('function f() {\n  const a = 1;\n  return a;\n}\n', 'a.js').includes('const a = 1;'), 'the first of a function shares its counter');
});

check('declarations without code stay as they are', () => {
  const code = "declare global { interface Window { shop: number } }\nabstract class A<T> { abstract m(): void; o(x?: T): void; o(): void {} }\nenum Kind { One, Two }\nexport type { A }\n";
  parsed(source({ code, key: 'src/a.ts' }).code, 'a.ts');
});

check('decorators and class fields keep their place', () => {
  const code = "@customElement('my-counter')\nexport class MyCounter extends LitElement {\n  @property({ type: Number }) count = 0\n  #own = 1\n  go = () => this.#own++\n}\n";
  const text = source({ code, key: 'src/my-counter.ts' }).code;
  ok(text.includes("@customElement('my-counter')\nexport class MyCounter"), text);
  parsed(text, 'a.ts');
});

check('a minifier may rename the accessor: a function still names its source and slot', () => {
  const code = 'export function add(a, b) {\n  if (a > b) return a;\n  return a + b;\n}\nglobalThis.add = add;\n';
  const made = source({ code, key: 'src/add.js' });
  const { code: small } = transformSync(made.code, { minify: true, format: 'iife' });
  ok(!small.includes(`function ${made.names[0]}`), small);
  const context = vm.createContext({});
  vm.runInContext('var XMLHttpRequest', context);
  vm.runInContext(small, context);
  same(vm.runInContext('add(3, 1)', context), 3);
  const text = vm.runInContext('String(add)', context);
  const [, name, slot] = FIRST_COUNTER.exec(text);
  same([name, vm.runInContext('__cvKeys$', context)[name]], [made.names[0], 'src/add.js']);
  const counts = vm.runInContext("__cov$['src/add.js']", context);
  ok(counts[Number(slot)] === 1, `counts are ${counts}`);
  same(vm.runInContext(`(${strip(text)})(1, 3)`, context), 4);
  ok(!strip(text).includes('__cv'), strip(text));
});

check('bundlers that keep the text, print it anew or minify it: stripped, a function means the same', () => {
  const code = 'export const pick = (a, { b = 2 } = {}) => {\n  if (a) return a > 1 ? "many" : () => b;\n  else for (const c of [b]) void c;\n};\nglobalThis.pick = pick;\n';
  const made = source({ code, key: 'src/pick.js' });
  const kept = made.code.replace('export ', '');
  for (const text of [kept, transformSync(made.code, { format: 'iife' }).code, transformSync(made.code, { minify: true, format: 'iife' }).code]) {
    const context = vm.createContext({});
    vm.runInContext(text, context);
    const own = strip(vm.runInContext('String(pick)', context));
    ok(!own.includes('__cv'), own);
    const [many, inner, nothing] = vm.runInContext(`const own = ${own}; [own(2), own(1)(), own(0)]`, vm.createContext({}));
    same([many, inner, nothing], ['many', 2, undefined], own);
  }
});

check('a hoisted function can be called before the module ran', () => {
  const code = 'globalThis.early = early();\nfunction early() { return 7; }\n';
  const context = vm.createContext({});
  vm.runInContext(source({ code, key: 'a.js' }).code, context);
  same(context.early, 7);
});

check('scripts of an Astro page that the build takes in are counted in the page\'s own positions', () => {
  const code = '---\nconst title: string = "<script>";\n---\n<h1>{title}</h1>\n<script>\n  const n: number = 1;\n</script>\n<script is:inline>let a = 1</script>\n<script type="application/ld+json">{"a":1}</script>\n<script src="/x.js"></script>\n';
  const made = source({ code, key: 'src/pages/index.astro' });
  same([made.units.length, made.units[0].key, made.units[0].line], [1, 'src/pages/index.astro#0', 5]);
  const statement = new Int32Array(Uint8Array.from(Buffer.from(made.units[0].served.statements, 'base64')).buffer);
  same([...statement], [6, 20, 6, 21]);
  ok(made.code.startsWith('---\nconst title: string = "<script>";\n---\n<h1>{title}</h1>\n<script>'), made.code);
  ok(made.code.endsWith('<script is:inline>let a = 1</script>\n<script type="application/ld+json">{"a":1}</script>\n<script src="/x.js"></script>\n'), made.code);
});

check('what counters would break is left as it is', () => {
  same(source({ code: '#!/usr/bin/env node\nrun()', key: 'a.js' }).skipped.slice(0, 15), 'it is a program');
});

check('a slim source keeps its counts where the rest is set up by another', () => {
  const make = (key, slim) => source({ code: 'globalThis.ran = (globalThis.ran ?? 0) + 1;\n', key, slim }).code;
  ok(make('a.js', true).length < 600, String(make('a.js', true).length));
  for (const keys of [['a.js', 'b.js'], ['b.js', 'a.js']]) {
    const context = vm.createContext({});
    vm.runInContext('var XMLHttpRequest', context);
    for (const key of keys) vm.runInContext(make(key, key === 'a.js'), context);
    same([...vm.runInContext('[Object.keys(__cov$).sort().join(), Object.keys(__cvKeys$).length, typeof __cvShow$]', context)], ['a.js,b.js', 2, 'function']);
    same([...vm.runInContext("[__cov$['a.js'][0], __cov$['b.js'][0]]", context)], [1, 1]);
  }
});

await report();
