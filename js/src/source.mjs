// Counters for the sources of an app that is yet to be built: JSX stays JSX, TypeScript stays TypeScript.
import { instrument } from './inject/index.mjs';
import { mineTree } from './mine.mjs';
import { Lines, pack, shape, sizesOf } from './shape.mjs';

const TYPESCRIPT = /\.[cm]?tsx?$/i;
const NO_JSX = /\.[cm]?ts$/i;
const COMMONJS = /\.c[jt]s$/i;
/** Scripts of an .astro page that its build takes in; all others reach the page as they are. */
const ASTRO_SCRIPT = /(<script\b((?:[^>"']|"[^"]*"|'[^']*')*)>)([^]*?)<\/script\s*>/gi;
const ASTRO_LEFT = /\b(?:is:inline|define:vars|set:html|src)\b|\btype\s*=\s*["']?(?!module\b|text\/javascript)/i;
const FRONTMATTER = /^\s*---[^]*?\n---/;

/** Lets type checkers and linters, which a build may run, pass over what was put in. */
const HEAD = '// @ts-nocheck\n/* eslint-disable */\n';

/**
 * @param {{code: string, key: string, branches?: boolean, mine?: boolean, slim?: boolean}} message `key`: path of the
 *   source; `slim`: of the many of a large project, whose others set up what all share
 * @returns {{code: string, units: object[], names: string[]} | {skipped: string}} `names`: the accessors of the units
 */
export function source({ code, key, branches = true, mine = false, slim = false }) {
  const wanted = { branches, mine, slim };
  return /\.astro$/i.test(key) ? astro(code, key, wanted) : file(code, key, wanted);
}

function file(code, key, wanted) {
  if (code.startsWith('#!')) return { skipped: 'it is a program with a hashbang, no part of the page' };
  const typescript = TYPESCRIPT.test(key);
  const syntax = { typescript, jsx: !NO_JSX.test(key), goal: COMMONJS.test(key) ? 'script' : 'auto' };
  const [result, unit] = counted(code, key, { ...wanted, syntax, lines: new Lines(code), place: undefined });
  if (result.skipped) return { skipped: result.skipped };
  return { code: HEAD + result.code, units: [unit], names: [result.name] };
}

function astro(code, key, wanted) {
  const lines = new Lines(code);
  const from = FRONTMATTER.exec(code)?.[0].length ?? 0;
  const units = [];
  const names = [];
  let out = code.slice(0, from);
  let done = from;
  ASTRO_SCRIPT.lastIndex = from;
  for (let match = ASTRO_SCRIPT.exec(code); match; match = ASTRO_SCRIPT.exec(code)) {
    const [, open, attributes, body] = match;
    if (ASTRO_LEFT.test(attributes) || !body.trim()) continue;
    const start = match.index + open.length;
    const syntax = { typescript: true, jsx: false, goal: 'module' };
    const place = (offset) => offset + start;
    const [result, unit] = counted(body, `${key}#${units.length}`, { ...wanted, syntax, lines, place });
    if (result.skipped) continue;
    unit.line = lines.line(start) + 1;
    units.push(unit);
    names.push(result.name);
    out += code.slice(done, start) + result.code;
    done = start + body.length;
  }
  return { code: out + code.slice(done), units, names };
}

function counted(code, key, { branches, mine, slim, syntax, lines, place }) {
  const result = instrument(code, key, { ...syntax, branches, slim, source: true, keepAst: mine });
  const served = shape(result, lines, place);
  served.mined = mine && result.ast ? mineTree(result.ast, result.nodes) : [];
  const shared = pack(result.shared.flat());
  return [result, { key, line: 1, sizes: sizesOf(result), shared, served, files: [], table: '', problem: '' }];
}
