// Runs a program twice, its sources with counters and its minified bundle with counters, and prints which statements,
// functions and arms ran in each, in the positions of the sources. Arguments: folder of the sources, entry file.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import vm from 'node:vm';
import { instrument } from '../../js/src/inject/index.mjs';
import { Mapping, readMap } from '../../js/src/maps.mjs';

const { build } = createRequire(new URL('../../js/package.json', import.meta.url))('esbuild');
const [folder, entry] = process.argv.slice(2);
const bundling = {
  entryPoints: [join(folder, entry)],
  bundle: true,
  write: false,
  format: 'iife',
  outdir: join(folder, 'dist'),
};

/** Counts by script key once the program is at rest. */
async function run(code) {
  const context = vm.createContext({ console: { debug() {} } });
  vm.runInContext(code, context);
  await new Promise((resolve) => setTimeout(resolve, 20));
  return vm.runInContext('globalThis.__cov$', context);
}

/** Fills in the counters that others count for. */
function complete(counts, { shared }) {
  const all = [...counts];
  for (const [slot, by] of shared) all[slot] = all[by];
  return all;
}

const tables = new Map();
const counting = {
  name: 'counting',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.[jt]sx?$/ }, ({ path }) => {
      const name = relative(folder, path);
      const result = instrument(readFileSync(path, 'utf8'), name, {
        goal: 'module',
        typescript: /\.tsx?$/.test(path),
        jsx: /x$/.test(path),
      });
      tables.set(name, result);
      return { contents: result.code, loader: path.split('.').pop() };
    }),
};
const truth = await build({ ...bundling, plugins: [counting] });
const counts = await run(truth.outputFiles[0].text);

const minified = await build({ ...bundling, minify: true, sourcemap: 'external' });
const [map, code] = ['.map', '.js'].map((end) => minified.outputFiles.find((file) => file.path.endsWith(end)).text);
const bundled = instrument(code, 'bundle.js', { goal: 'script', fine: true, keepAst: true });
const mapping = new Mapping(readMap(map, 'dist/bundle.js.map'), { rules: [], read: () => null });
const { files, table } = mapping.resolve(code, bundled, { instrument, mine: () => [], branches: true });
const hit = complete((await run(bundled.code))['bundle.js'], bundled);
const rows = new Int32Array(new Uint8Array(Buffer.from(table, 'base64')).buffer);
const seen = new Map();
for (let at = 0; at < rows.length; at += 3) {
  const key = `${rows[at + 1]} ${rows[at + 2]}`;
  seen.set(key, Boolean(seen.get(key)) || hit[rows[at]] > 0);
}

const answer = { statement: [], function: [], branch: [] };
files.forEach((file, index) => {
  const result = tables.get(file.path);
  if (!result || !counts[file.path]) return;
  const own = complete(counts[file.path], result);
  const arms = result.branches.flatMap(({ type, arms }) => arms.map(() => type));
  const kinds = [
    ...result.statements.map(() => 'statement'),
    ...result.functions.map(() => 'function'),
    ...arms.map(() => 'branch'),
  ];
  const ranges = [
    ...result.statements,
    ...result.functions.map((fn) => fn.range),
    ...result.branches.flatMap((branch) => branch.arms),
  ];
  kinds.forEach((kind, probe) => {
    const text = file.text.slice(...ranges[probe]).slice(0, 60);
    answer[kind].push({ file: file.path, text, ran: own[probe] > 0, mapped: seen.get(`${index} ${probe}`) ?? null });
  });
});
console.log(JSON.stringify(answer));
