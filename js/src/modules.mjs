// Makes one ES module of an npm package as CDNs of modules do: bundled, CommonJS turned into exports, and every import of
// another package (and of the package's own main module) left as a placeholder for its address.
//
// Asked by explorer/npm.py, one JSON object on stdin, one on stdout:
//   {esbuild, root, name, path, dev, conditions, names} -> {code, exports, imports, commonjs} or {error}
// esbuild: the bundler's main.js. root: the folder whose node_modules holds the package. path: what follows the name in an import.
// names: further exports that a CommonJS module is known to have. imports: the placeholders' specifiers.
import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { initSync, parse } from 'cjs-module-lexer';

const PLACEHOLDER = 'explorer-bare:';
const INSIDE = Symbol('resolved by the bundler itself');
const ASSETS = ['.png', '.jpg', '.jpeg', '.gif', '.svg', '.webp', '.woff', '.woff2', '.ttf', '.eot', '.wasm', '.glsl', '.txt', '.html'];
const MOST_NAMES = 4000;
/** Reading these of a function throws, or says nothing of the module. */
const UNREADABLE = new Set(['default', '__esModule', 'caller', 'callee', 'arguments', 'prototype', 'length', 'name', 'exports']);

initSync();
const request = JSON.parse(await text(process.stdin));
process.stdout.write(JSON.stringify(await make(request).catch((error) => ({ error: brief(error) }))));

async function text(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

function brief(error) {
  const first = error.errors?.[0];
  return first ? `${first.text}${first.location ? ` (${first.location.file}:${first.location.line})` : ''}` : String(error.message || error);
}

/** The module that was asked for. */
async function make({ esbuild: program, root, name, path, dev, conditions = [], names = [] }) {
  const esbuild = await import(pathToFileURL(program));
  const bundler = (esbuild.default ?? esbuild);
  const links = await linker(name, path, root);
  const options = optionsOf({ root, dev, conditions });
  const run = (entry) => bundler.build({ ...options, ...entry, plugins: [links.plugin] });
  const specifier = path ? `${name}/${path}` : name;
  const plain = await run({ entryPoints: [specifier] });
  const [input] = Object.entries(plain.metafile.inputs).filter(([, item]) => item.format).filter(([file]) => join(root, file) === links.entry());
  const commonjs = input?.[1].format !== 'esm';
  if (!commonjs) return answer(plain, { commonjs });
  const found = await commonNames(links.entry(), names);
  const wrapper = { stdin: { contents: wrapped(links.entry(), found), resolveDir: root, loader: 'js' }, entryPoints: undefined };
  return answer(await run(wrapper), { commonjs });
}

function answer(built, more) {
  const [file, output] = Object.entries(built.metafile.outputs).find(([path]) => path.endsWith('.js'));
  const body = built.outputFiles.find((item) => item.path.endsWith(file)) ?? built.outputFiles[0];
  const imports = output.imports.filter((item) => item.external && item.path.startsWith(PLACEHOLDER));
  const specifiers = [...new Set(imports.map((item) => item.path.slice(PLACEHOLDER.length)))].sort();
  return { code: body.text, exports: output.exports, imports: specifiers, ...more };
}

function optionsOf({ root, dev, conditions }) {
  const mode = dev ? 'development' : 'production';
  return {
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    charset: 'utf8',
    logLevel: 'silent',
    outdir: 'out',
    mainFields: ['browser', 'module', 'main'],
    conditions: ['module', mode, ...conditions],
    define: { 'process.env.NODE_ENV': JSON.stringify(mode), global: 'globalThis' },
    loader: { '.js': 'jsx', ...Object.fromEntries(ASSETS.map((ending) => [ending, 'dataurl'])), '.node': 'empty' },
  };
}

/** The plugin that tells the package's own files from what it imports of others. */
async function linker(name, path, root) {
  const home = join(root, 'node_modules', name);
  const manifest = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'));
  const replaced = typeof manifest.browser === 'object' ? manifest.browser : {};
  let entry = '';
  let main = '';
  const inside = (build, args, kind = args.kind) =>
    build.resolve(args.path, { kind, resolveDir: args.resolveDir || root, importer: args.importer, pluginData: INSIDE });

  async function entryOf(build, args) {
    let found = await inside(build, args, 'import-statement');
    const file = [path, `${path}.js`, `${path}.mjs`, `${path}/index.js`].map((item) => join(home, item)).find((item) => existsSync(item));
    // A file that the package does not offer by its exports can be asked for all the same.
    if (found.errors.length && path && file) found = { path: file, errors: [] };
    if (found.errors.length) return { errors: found.errors };
    entry = found.path;
    const self = await build.resolve(name, { kind: 'import-statement', resolveDir: root, pluginData: INSIDE });
    main = self.errors.length ? '' : self.path;
    return found;
  }

  /** An import that leaves: a placeholder, behind a CommonJS face where it is required. */
  function outside(specifier, kind) {
    const required = kind === 'require-call' || kind === 'require-resolve';
    return required ? { path: specifier, namespace: 'required' } : { path: PLACEHOLDER + specifier, external: true };
  }

  const plugin = {
    name: 'packages',
    setup(build) {
      build.onResolve({ filter: /.*/ }, async (args) => {
        if (args.pluginData === INSIDE) return undefined;
        if (args.kind === 'entry-point') return args.path === '<stdin>' ? undefined : entryOf(build, args);
        if (args.namespace === 'required') return { path: args.path, external: true };
        if (/^(https?:|data:)/.test(args.path)) return { path: args.path, external: true };
        if (/^[./#]/.test(args.path) || args.path in replaced || args.kind === 'url-token' || args.kind === 'import-rule') {
          const found = await inside(build, args);
          return main && found.path === main && entry !== main ? outside(name, args.kind) : found;
        }
        return outside(args.path.replace(/^node:/, ''), args.kind);
      });
      build.onLoad({ filter: /.*/, namespace: 'required' }, (args) => ({ contents: required(PLACEHOLDER + args.path), loader: 'js' }));
    },
  };
  return { plugin, entry: () => entry };
}

/** What `require` of an ES module gives: its CommonJS original where it has one, else its exports, marked as such. */
function required(address) {
  return `import * as module$ from ${JSON.stringify(address)};
const has = Object.keys(module$);
module.exports = "module.exports" in module$ ? module$["module.exports"]
  : has.length === 1 && has[0] === "default" ? module$.default
  : Object.defineProperty(Object.assign({}, module$), "__esModule", { value: true });`;
}

/** A CommonJS module's exports as far as its text tells, those of the modules that it passes on included. */
async function commonNames(entry, names) {
  const found = new Set(names);
  const seen = new Set();
  const outside = new Set();
  const waiting = [entry];
  let all = '';
  while (waiting.length) {
    const file = waiting.pop();
    if (seen.has(file) || !existsSync(file)) continue;
    seen.add(file);
    const code = await readFile(file, 'utf8');
    all += code;
    const { exports, reexports } = lexed(code);
    for (const name of [...exports, ...literalNames(code)]) found.add(name);
    for (const other of reexports) {
      if (!other.startsWith('.')) outside.add(other);
      else waiting.push(...['', '.js', '.cjs', '/index.js'].map((ending) => join(dirname(file), other + ending)).filter(isFile).slice(0, 1));
    }
  }
  if (![...found].some((name) => !UNREADABLE.has(name))) {
    // A universal module: any property that the text sets may be one of its exports; one that is not is undefined.
    for (const [, name] of all.matchAll(/[\w$)\]]\.([A-Za-z_$][\w$]*)\s*=(?![=>])/g)) if (found.size < MOST_NAMES) found.add(name);
  }
  return { names: [...found].filter((name) => !UNREADABLE.has(name) && /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)), outside: [...outside] };
}

function isFile(path) {
  return /\.[cm]?js$/.test(path) && existsSync(path);
}

function lexed(code) {
  try {
    return parse(code);
  } catch {
    return { exports: [], reexports: [] }; // no CommonJS: a script, or an ES module that is required
  }
}

/** Keys of `module.exports = {...}`: the lexer stops at the first value that is not a plain name. One too many is undefined. */
function literalNames(code) {
  const names = [];
  for (const { index, 0: head } of code.matchAll(/\bmodule\.exports\s*=\s*\{/g)) {
    const body = outermost(code, index + head.length);
    for (const [, name] of body.matchAll(/(?:^|,)\s*([A-Za-z_$][\w$]*)\s*(?=[:,(]|$)/g)) names.push(name);
  }
  return names;
}

/** The text of an object literal from `start` to its end, without what stands in brackets inside. */
function outermost(code, start) {
  let depth = 0;
  let text = '';
  for (let at = start; at < code.length; at++) {
    const closes = '}])'.includes(code[at]);
    if (closes && depth-- === 0) break;
    if ('{[('.includes(code[at])) depth++;
    if (!depth || (depth === 1 && code[at] === '(')) text += closes ? '' : code[at];
  }
  return text.trimEnd();
}

/** An ES module with the exports of a CommonJS one; "module.exports" is Node's name for the original. */
function wrapped(entry, { names, outside }) {
  const parts = names.map((name, index) => [`const $${index} = original?.${name};`, `$${index} as ${name}`]);
  return [
    `const original = require(${JSON.stringify(entry)});`,
    'const main = original && original.__esModule && "default" in original ? original.default : original;',
    ...parts.map(([declared]) => declared),
    `export { main as default, original as "module.exports"${parts.map(([, exported]) => `, ${exported}`).join('')} };`,
    ...outside.map((other) => `export * from ${JSON.stringify(other)};`),
  ].join('\n');
}
