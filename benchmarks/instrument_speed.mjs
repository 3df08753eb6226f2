// One measurement for instrument_speed.py: `node instrument_speed.mjs ENGINE FINE FILE ...`, JSON on stdout.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [engine, fine, ...files] = process.argv.slice(2);
const require = createRequire(new URL('../js/package.json', import.meta.url));

const engines = {
  async ours() {
    const { instrument } = await import('../js/src/inject/index.mjs');
    return (code) => instrument(code, 'file.js', { fine: fine === 'fine' }).code;
  },
  async istanbul() {
    const { createInstrumenter } = require('istanbul-lib-instrument');
    // A module where a script does not parse, as a runner that knows the goal would have it.
    return (code) => {
      try {
        return createInstrumenter({ esModules: false }).instrumentSync(code, 'file.js');
      } catch {
        return createInstrumenter({ esModules: true }).instrumentSync(code, 'file.js');
      }
    };
  },
};

const run = await engines[engine]();
const sources = files.map((file) => readFileSync(file, 'utf8'));
const cpu = process.cpuUsage();
const start = performance.now();
const outputs = sources.map(run);
const seconds = (performance.now() - start) / 1000;
const used = process.cpuUsage(cpu);
const bytes = (texts) => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
process.stdout.write(
  JSON.stringify({
    seconds,
    cpu_seconds: (used.user + used.system) / 1e6,
    mb: bytes(sources) / 1e6,
    output: bytes(outputs) / bytes(sources),
  }),
);
