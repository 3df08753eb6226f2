// Bundles one of the small apps of this folder: `node build.mjs react` prints JavaScript.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFileSync } from 'node:fs';

const here = dirname(fileURLToPath(import.meta.url));
const js = join(here, '..', '..', '..', 'js');
const require = createRequire(join(js, 'package.json'));
const { build } = require('esbuild');

const svelte = {
  name: 'svelte',
  setup({ onLoad }) {
    onLoad({ filter: /\.svelte$/ }, ({ path }) => {
      const { compile } = require('svelte/compiler');
      return { contents: compile(readFileSync(path, 'utf8'), { filename: path, generate: 'client' }).js.code, loader: 'js' };
    });
  },
};
const entries = {
  react: "import './react.jsx'", vue: "import './vue.js'", preact: "import './preact.jsx'", jquery: "import './jquery.js'", jquery2: "import './jquery.js'",
  svelte: "import { mount } from 'svelte'; import App from './svelte.svelte'; mount(App, { target: document.getElementById('root') });",
};
const { outputFiles } = await build({
  stdin: { contents: entries[process.argv[2]], resolveDir: here, loader: 'js' },
  bundle: true, write: false, format: 'iife', minify: process.argv[3] === 'minify', jsx: 'automatic', nodePaths: [join(js, 'node_modules')],
  define: { 'process.env.NODE_ENV': '"production"', __VUE_OPTIONS_API__: 'true', __VUE_PROD_DEVTOOLS__: 'false', __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false' },
  alias: process.argv[2] === 'jquery2' ? { jquery: 'jquery2' } : {},
  conditions: ['browser', 'production'], plugins: [svelte], logLevel: 'error',
});
process.stdout.write(outputFiles[0].text);
