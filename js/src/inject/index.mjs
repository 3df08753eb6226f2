// Istanbul's counters put into a script as text.
import { Edits } from './edits.mjs';
import { findHints, ignoresFile, mayHoldHints } from './hints.mjs';
import { accessorName } from './names.mjs';
import { parse } from './parse.mjs';
import { Points } from './points.mjs';
import { accessor } from './prelude.mjs';
import { statements } from './statements.mjs';

export { parse } from './parse.mjs';
export { accessorName } from './names.mjs';
export { strip } from './strip.mjs';

/**
 * @typedef {object} Instrumented
 * @property {string} code
 * @property {[number, number][]} statements
 * @property {{name: string, decl: [number, number], loc: [number, number], range: [number, number]}[]} functions
 * @property {{type: string, loc: [number, number], arms: [number, number][]}[]} branches an arm that is not
 *   written (an if without else) has the empty range at the start of its if
 * @property {[number, number][]} extra
 * @property {number[]} owner innermost function of each statement, -1 at top level
 * @property {number[]} branchOwner
 * @property {number[]} extraOwner
 * @property {'script' | 'module'} goal
 * @property {'acorn' | 'babel'} parser
 * @property {string} skipped why there are no counters; "" where there are
 * @property {string} name the accessor's
 * @property {object} [ast] with `keepAst`: the ESTree Program
 * @property {object[]} [nodes] with `keepAst`: the functions' nodes, parallel to `functions`
 */

/**
 * Puts counters into a script. Offsets are UTF-16 units into `code`; slots of the counter array are
 * statements, functions, branch arms (branch by branch) and extra points, in this order.
 *
 * @param {string} code
 * @param {string} key the script's name in the page's registry
 * @param {{goal?: 'script' | 'module' | 'auto', fine?: boolean, branches?: boolean, jsx?: boolean,
 *   typescript?: boolean, handler?: boolean, keepAst?: boolean}} [options]
 * @returns {Instrumented}
 * @throws {SyntaxError} where nothing parses
 */
export function instrument(code, key, options = {}) {
  const comments = mayHoldHints(code) ? [] : undefined;
  const { ast, goal, parser } = parse(code, options, comments);
  const points = new Points();
  const edits = new Edits('\v');
  const name = accessorName(key);
  const skipped = comments !== undefined && ignoresFile(comments) ? 'the file says "istanbul ignore file"' : '';
  if (!skipped) {
    // The accessor's text is known when all is counted, its place must come first.
    edits.open(preludePosition(ast), '');
    const hints = comments === undefined ? null : findHints(code, ast, comments);
    const { branches = true, fine = false } = options;
    statements({ code, points, edits, hints, branches, fine }, ast.body);
  }
  const { statements: s, functions, branches, arms, extra } = points;
  const bases = [0, s.length, s.length + functions.length, s.length + functions.length + arms];
  const size = bases[3] + extra.length;
  let out = code;
  if (size > 0) {
    edits.setFirst(accessor({ name, key, size, global: 'globalThis', marker: '\v', handler: options.handler === true }));
    out = edits.apply(code, name, bases);
  }
  const { owner, branchOwner, extraOwner } = points;
  const result = { code: out, statements: s, functions, branches, extra, owner, branchOwner, extraOwner, goal, parser, skipped, name };
  if (options.keepAst) Object.assign(result, { ast, nodes: points.nodes });
  return result;
}

/** In front of the first statement that is no directive: behind hashbang, comments and `-->` at the start. */
function preludePosition(ast) {
  const first = ast.body.find((node) => node.directive === undefined);
  return first === undefined ? ast.end : first.start;
}
