// Istanbul's counters, put into a script as text.
import { Edits } from './edits.mjs';
import { findHints, ignoresFile, mayHoldHints } from './hints.mjs';
import { ALIAS, MARKER, accessorName } from './names.mjs';
import { parse } from './parse.mjs';
import { Points } from './points.mjs';
import { accessor, handlerAccessor, sourceAccessor } from './prelude.mjs';
import { globalName } from './scope.mjs';
import { statements } from './statements.mjs';
import { isAmbiguous } from './strip.mjs';

export { FIRST_COUNTER, accessorName } from './names.mjs';
export { parse } from './parse.mjs';
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
 * @property {{homes: object, initializers: object[], armStarts: [number, number][]}} running what places.mjs makes
 *   places of; see points.mjs
 * @property {[number, number][]} shared `[slot, by]`: the slot is never counted itself, its count is that of `by`
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
 * @param {{goal?: 'script' | 'module' | 'url' | 'auto', fine?: boolean, branches?: boolean, jsx?: boolean,
 *   typescript?: boolean, handler?: boolean, source?: boolean, slim?: boolean, keepAst?: boolean, plain?: boolean}} [options] `fine` adds the extra points: members of
 *   sequences, and without `branches` what conditions guard; `handler` is for the code of a handler attribute,
 *   `source` for what a bundler reads: its accessor stands at the end, the script's name survives renaming; the goal
 *   `url` is for that of a `javascript:` URL, a script whose last value becomes a page
 *   `plain` says that the app will run without the counters, so that nothing they would break matters
 * @returns {Instrumented}
 * @throws {SyntaxError} where nothing parses
 */
export function instrument(code, key, options = {}) {
  const comments = mayHoldHints(code) ? [] : undefined;
  const { ast, goal, parser } = parse(code, options, comments);
  const name = accessorName(key);
  const skipped = reasonToSkip(code, comments ?? [], options.goal === 'url' ? ast.body.at(-1) : undefined, options.plain);
  const points = new Points();
  const edits = new Edits();
  if (!skipped) {
    // The accessor's text is known when all is counted, but its place is in front of all.
    if (!options.source) edits.open(accessorPosition(ast), '');
    const hints = comments === undefined ? null : findHints(code, ast, comments);
    const { branches = true, fine = false } = options;
    // The app's own use of the name must not be hidden.
    const alias = !options.source && !code.includes(ALIAS);
    const hoist = Boolean(options.source);
    statements({ code, points, edits, hints, branches, fine, alias, hoist }, ast.body);
  }
  const bases = points.bases();
  let instrumented = code;
  if (bases[4] > 0) {
    const script = { name, key, size: bases[4], global: globalName(code, ast), marker: MARKER };
    if (options.source) {
      instrumented = `${edits.apply(code, `${name}().${name}`, bases)}\n${sourceAccessor({ ...script, slim: options.slim })}\n`;
    } else {
      edits.setFirst((options.handler ? handlerAccessor : accessor)(script));
      instrumented = edits.apply(code, `${name}()`, bases);
    }
  }
  const { statements: counted, functions, branches, extra, owner, branchOwner, extraOwner } = points;
  const { homes, initializers, armStarts } = points;
  return {
    code: instrumented,
    statements: counted,
    functions,
    branches,
    extra,
    owner,
    branchOwner,
    extraOwner,
    running: { homes, initializers, armStarts },
    shared: edits.shared.map(([kind, index, by]) => [bases[kind] + index, bases[by.kind] + by.index]),
    goal,
    parser,
    skipped,
    name,
    ...(options.keepAst ? { ast, nodes: points.nodes } : {}),
  };
}

function reasonToSkip(code, comments, lastOfUrl, plain) {
  if (ignoresFile(comments)) return 'its comment "istanbul ignore file" asks for it';
  if (plain) return '';
  if (isAmbiguous(code)) return 'it has vertical tabs where counters could not be told from its own text';
  if (lastOfUrl !== undefined && lastOfUrl.type !== 'ExpressionStatement') return 'counters would change the value of this URL';
  return '';
}

/** In front of the first statement that is no directive: behind hashbang, comments, and a `-->` of the first line. */
function accessorPosition(ast) {
  const first = ast.body.find((node) => node.directive === undefined);
  return first === undefined ? ast.end : first.start;
}
