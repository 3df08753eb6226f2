// Bundles the JavaScript side into instrument/_js/: what the wheel carries and Python reads.
import { build } from 'esbuild';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, '..', 'instrument', '_js');
mkdirSync(out, { recursive: true });

/** name in instrument/_js -> [entry under js/src, esbuild options] */
const targets = {
  // The instrumenter's process, on the Node that Playwright brings.
  'worker.mjs': ['worker.mjs', { platform: 'node', format: 'esm', target: 'node18' }],
  // ES modules of npm packages, for apps that load them from CDNs.
  'modules.mjs': ['modules.mjs', { platform: 'node', format: 'esm', target: 'node18' }],
  // The observer that the browser runs in every page before the app's own code.
  // Globals that it names are those saved by natives.js, whatever the app does to them.
  'agent.js': ['agent/index.js', { platform: 'browser', format: 'iife', target: 'chrome110', inject: [join(here, 'src', 'agent', 'natives.js')] }],
  // The report's interactive parts.
  'report.js': ['report/index.js', { platform: 'browser', format: 'iife', target: 'chrome110' }],
};

// `node build.mjs agent.js` builds one of them.
const wanted = process.argv.slice(2);

for (const [name, [entry, options]] of Object.entries(targets)) {
  if (wanted.length && !wanted.includes(name)) continue;
  const source = join(here, 'src', entry);
  if (!existsSync(source)) {
    console.error(`js/build.mjs: ${source} is missing`);
    process.exit(1);
  }
  await build({
    entryPoints: [source],
    outfile: join(out, name),
    bundle: true,
    minify: true,
    charset: 'utf8',
    legalComments: 'inline',
    logLevel: 'warning',
    ...options,
  });
}
