// Every program of test262-parser-tests: the output is valid, the input comes back, the positions are Istanbul's.
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { instrument, parse, strip } from '../../js/src/inject/index.mjs';
import { check, ok, report, same } from './checks.mjs';
import { compare } from './istanbul.mjs';
import { OPTIONS } from './programs.mjs';

const require = createRequire(new URL('../../js/package.json', import.meta.url));
const root = dirname(require.resolve('test262-parser-tests/package.json'));

const programs = ['pass', 'pass-explicit'].flatMap((set) =>
  readdirSync(join(root, set)).map((name) => ({
    name: join(set, name),
    goal: name.includes('.module.') ? 'module' : 'script',
    code: readFileSync(join(root, set, name), 'utf8'),
  })),
);

/** Babel's fault: it takes the function in the catch block for a second declaration. */
const NOT_ISTANBUL = new Set(['pass/3dabeca76119d501.js', 'pass-explicit/3dabeca76119d501.js']);
/** U+2028 in a string: a line end to ECMAScript's line counting, not to Babel's. */
const OTHER_LINES = new Set(['afffb6d317e53b92.js', 'dc3afa2f13259ae0.js']);

check('output is valid, and the input can be got back', () => {
  ok(programs.length > 3900, programs.length);
  for (const { name, goal, code } of programs) {
    for (const options of OPTIONS) {
      const result = instrument(code, name, { goal, ...options });
      try {
        parse(result.code, { goal });
      } catch (error) {
        throw new Error(`${name} ${JSON.stringify(options)}: ${error.message}: ${JSON.stringify(code)}`);
      }
      if (strip(result.code) !== code) throw new Error(`${name}: ${JSON.stringify(strip(result.code))} is not ${JSON.stringify(code)}`);
    }
  }
});

check("positions are Istanbul's", () => {
  const different = [];
  let compared = 0;
  for (const { name, goal, code } of programs) {
    if (NOT_ISTANBUL.has(name) || OTHER_LINES.has(name.split('/')[1])) continue;
    const found = compare(code, goal);
    compared++;
    for (const kind in found) {
      if (found[kind].ours.length + found[kind].theirs.length > 0) different.push([name, kind, found[kind].ours, found[kind].theirs]);
    }
  }
  same(different, []);
  ok(compared > 3900);
});

await report();
