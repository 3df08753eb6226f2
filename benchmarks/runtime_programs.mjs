// Texts for runtime_overhead.py: `node runtime_programs.mjs THREE_BUILD_FOLDER`, {variant: {file: code}} on stdout.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { instrument } from '../js/src/inject/index.mjs';

const require = createRequire(new URL('../js/package.json', import.meta.url));
const { createInstrumenter } = require('istanbul-lib-instrument');

const LOOPS = ['nbody.js', 'sieve.js', 'life.js', 'objects.js', 'strings.js', 'three-frame.js'];
const sources = Object.fromEntries(LOOPS.map((name) => [name, readFileSync(new URL(`loops/${name}`, import.meta.url), 'utf8')]));
for (const name of ['three.core.js', 'three.module.js']) sources[name] = readFileSync(join(process.argv[2], name), 'utf8');

const istanbul = (code, name) =>
  createInstrumenter({ esModules: name.startsWith('three'), compact: true }).instrumentSync(code, name);

const variants = {
  plain: (code) => code,
  ours: (code, name) => instrument(code, name).code,
  'without branches': (code, name) => instrument(code, name, { branches: false }).code,
  istanbul,
};

const texts = (change) => Object.fromEntries(Object.entries(sources).map(([name, code]) => [name, change(code, name)]));
process.stdout.write(JSON.stringify(Object.fromEntries(Object.entries(variants).map(([name, change]) => [name, texts(change)]))));
