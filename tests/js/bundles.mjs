// Large bundles: statements, functions and branches are Istanbul's, at the same places and with the same names.
// `node bundles.mjs [file ...]` compares other files than the installed ones.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parse, strip, instrument } from '../../js/src/inject/index.mjs';
import { check, ok, report, same } from './checks.mjs';
import { compare } from './istanbul.mjs';

const require = createRequire(new URL('../../js/package.json', import.meta.url));
const beside = (name, path) => join(dirname(require.resolve(name)), path);

const BUNDLES = [
  ['three.core.js', beside('three', 'three.core.js')],
  ['react-dom-client.development.js', beside('react-dom', 'cjs/react-dom-client.development.js')],
  ['cytoscape.min.js', beside('cytoscape', 'cytoscape.min.js')],
  ['lodash.js', beside('lodash', 'lodash.js')],
  ['babel-parser.js', require.resolve('@babel/parser')],
  ['acorn.js', beside('acorn', 'acorn.js')],
];

const wanted = process.argv.slice(2);

for (const [name, path] of wanted.length > 0 ? wanted.map((file) => [file, file]) : BUNDLES) {
  check(name, () => {
    const code = readFileSync(path, 'utf8');
    const found = compare(code, 'auto');
    // Private methods have functions of ours only: Istanbul does not count them.
    const ours = found.functions.ours.filter((one) => !one.startsWith('#'));
    same([found.statements.ours, found.statements.theirs], [[], []], 'statements');
    same([ours, found.functions.theirs], [[], []], 'functions');
    same([found.branches.ours, found.branches.theirs], [[], []], 'branches');
    ok(found.statements.count > 1000 && found.statements.sameOrder);
    const result = instrument(code, name, { fine: true });
    parse(result.code, { goal: result.goal });
    ok(strip(result.code) === code);
  });
}

await report();
