// Source maps: from the counters of a served script to the statements, functions and branch arms of the user's sources.
import { FlattenMap, isIgnored, traceSegment } from '@jridgewell/trace-mapping';
import { infer } from './infer.mjs';
import { innermost, Lines, pack, shape } from './shape.mjs';
import { placeBare } from './backwards.mjs';
import { looseShape } from './loose.mjs';
import { locate } from './project.mjs';
import { walk } from './walk.mjs';

const SCHEME = /^(?:webpack|webpack-internal|turbopack|vite|rollup|parcel|ng|meteor|file|app|https?):\/\//i;

/** Parses a source map, index maps included. Throws an Error that says what is wrong with it. */
export function readMap(text, mapUrl) {
  const trace = new FlattenMap(text.replace(/^\)\]\}'[^\n]*\n/, ''), mapUrl);
  if (trace.version !== 3) throw new Error(`it has version ${trace.version}, not 3`);
  if (!trace.sources.length) throw new Error('it names no sources');
  return trace;
}

/**
 * A source's path for people: without scheme, bundler namespace, query and leading "../".
 * `webpack://shop/./src/cart.js` and `../../src/cart.js` both become `src/cart.js`.
 */
export function displayPath(source) {
  let path = source.replace(/\\/g, '/');
  if (SCHEME.test(path)) {
    path = path.replace(SCHEME, '').replace(/^[^/]*\//, '');
  }
  path = path.replace(/^\[project\]\//, '').replace(/[?#].*$/, '');
  const parts = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/') || source;
}

/** Why a source is library code, or '' for the user's own; `rules` are [pattern, reason]. */
function vendorReason(source, ignored, rules) {
  for (const [pattern, reason] of rules) if (new RegExp(pattern, 'i').test(source)) return reason;
  return ignored ? 'listed in ignoreList of the source map' : '';
}

const COMPONENT = /\.(?:vue|svelte|astro)$/i;
const MARKUP = /<(?:script|template|style|\/?[a-z][\w-]*\s*\/?>|!--)/i;

/** What a compiler made of a component's parts goes by the component's name; its text has no markup. */
const isPart = (source) => COMPONENT.test(source.path) && Boolean(source.content?.trim()) && !MARKUP.test(source.content);

const KEYWORD = /(?:return|throw)\b[ \t]*(?=[^\s;}])/y;
const EXTENSIONS = /\.(?:[cm]?[jt]sx?|es6?)$/i;
/** What Babel and its forerunner call a script of the page that they work in. */
const IN_PAGE = /^Inline (?:Babel|JSX) script(?: \(\d+\))?$/;

/** One original source: its universe of probes and how offsets find them. */
class Source {
  constructor(index, name, path, content) {
    Object.assign(this, { index, name, path, content, vendor: '', pairs: [] });
  }

  /** Parses the source with the instrumenter itself; false where it is no JavaScript or TypeScript. */
  parse(instrument, mine, branches) {
    if (this.content === null || this.vendor || !(EXTENSIONS.test(this.path) || IN_PAGE.test(this.path))) return false;
    const typescript = /\.[cm]?tsx?$/i.test(this.path);
    const options = {
      goal: 'auto',
      fine: false,
      branches,
      typescript,
      jsx: !/\.[cm]?ts$/i.test(this.path),
      keepAst: true,
    };
    try {
      this.result = instrument(this.content, this.path, options);
    } catch (error) {
      this.problem = String(error.message);
      return false;
    }
    if (this.result.skipped) return false;
    this.mined = mine(this.result);
    this.lines = new Lines(this.content);
    this.statement = innermost(this.result.statements);
    this.function = innermost(this.result.functions.map((fn) => fn.range));
    this.armRanges = armRanges(this.result);
    this.arm = innermost(this.armRanges);
    this.functionBase = this.result.statements.length;
    this.armBase = this.functionBase + this.result.functions.length;
    this.elses = missingElses(this.result);
    return true;
  }
}

/** Ranges of all arms; Istanbul gives the whole `if` as its first arm, here it is what runs when the test holds. */
function armRanges(result) {
  const consequents = new Map();
  walk(result.ast, (node) => {
    if (node.type === 'IfStatement') consequents.set(node.start, [node.consequent.start, node.consequent.end]);
  });
  return result.branches.flatMap(({ type, loc, arms }) =>
    type === 'if' ? [consequents.get(loc[0]) ?? arms[0], ...arms.slice(1)] : arms,
  );
}

/** Start of each `if` without else -> its second arm's number among all arms. */
function missingElses(result) {
  const elses = new Map();
  let arm = 0;
  for (const { type, loc, arms } of result.branches) {
    if (type === 'if' && arms.length > 1 && arms[1][0] === arms[1][1]) elses.set(loc[0], arm + 1);
    arm += arms.length;
  }
  return elses;
}

/** Maps the counters of one script. */
export class Mapping {
  /** `rules`: what makes a source library code; `read(name, path)`: text of a source that the map
   * does not hold, or null; `roots`: folders of the project that sources must be in, null where that is not asked. */
  constructor(trace, { rules, read, roots = null }) {
    this.trace = trace;
    this.sources = trace.sources.map((name, index) => {
      const resolved = trace.resolvedSources[index] ?? name ?? '';
      const source = new Source(index, resolved, displayPath(resolved), trace.sourcesContent?.[index] ?? null);
      source.vendor = vendorReason(resolved, isIgnored(trace, resolved), rules);
      if (roots) {
        const place = locate(resolved, source.path, roots, source.content);
        Object.assign(source, { path: place.path, vendor: source.vendor || place.reason });
      }
      if (source.content === null && !source.vendor) source.content = read(resolved, source.path);
      if (!source.vendor && isPart(source))
        Object.assign(source, { path: `${source.path} (compiled)`, vendor: 'made by the compiler of components' });
      return source;
    });
    this.used = new Set();
  }

  /** Original position of an offset: [source, line from 0, column, name or undefined], or null. */
  original(offset, lines) {
    const line = lines.line(offset);
    const segment = traceSegment(this.trace, line, offset - lines.starts[line]);
    if (!segment || segment.length === 1) return null;
    return [this.sources[segment[1]], segment[2], segment[3], this.trace.names[segment[4]]];
  }

  /**
   * Files that the script was made of and the table [slot, file, probe of the file, ...].
   * Throws an Error where no counter leads to a source: the map is not of this script. `made`: a transpiler in the page
   * made the script, and V8 measures it: statements that no counter leads to get extra points in `result`.
   */
  resolve(code, result, { instrument, mine, branches, made = false }) {
    const lines = new Lines(code);
    const points = generatedPoints(result, code);
    const found = points.map((point) => (point.kind === 'none' ? null : this.original(point.at, lines)));
    for (const position of found) if (position) this.used.add(position[0]);
    if (points.length && !this.used.size) throw new Error('none of its positions is in the script');
    const files = [];
    for (const source of this.sources) {
      const parsed = source.parse(instrument, mine, branches);
      if (!parsed && !this.used.has(source)) continue;
      source.file = files.length;
      files.push(source);
    }
    const table = [];
    const loose = new Map();
    points.forEach((point, index) => {
      const position = found[index];
      if (!position || position[0].file === undefined) return;
      if (position[0].result) exact(point, position, table, this, lines);
      else note(loose, point, position, this.original(Math.max(point.at, point.end - 1), lines));
    });
    if (made) placeBare(this, result, lines, table);
    complete(files, table);
    for (const source of files) if (source.result) fillFunctions(source, table, made);
    const rows = files.some((source) => !source.result && !source.vendor) ? mine(result) : [];
    const forks = this.forks(result, lines);
    const shapes = files.map((source) =>
      source.result
        ? parsedShape(source)
        : looseShape(source, loose.get(source) ?? [], forks.get(source) ?? [], { table, result, rows }),
    );
    return { files: shapes, table: pack(table) };
  }

  /** Branches by the source that they begin in, for the user's sources that have no syntax tree. */
  forks(result, lines) {
    const found = new Map();
    let slot = result.statements.length + result.functions.length;
    result.branches.forEach(({ type, loc, arms }, index) => {
      const first = slot;
      slot += arms.length;
      const position = this.original(loc[0], lines);
      const source = position?.[0];
      if (!source || source.result || source.vendor || source.file === undefined) return;
      if (!found.has(source)) found.set(source, []);
      found.get(source).push({
        type,
        position,
        end: this.original(loc[1] - 1, lines),
        owner: result.branchOwner[index],
        arms: arms.map(([start, end], at) => ({
          slot: first + at,
          position: end > start ? this.original(start, lines) : null,
          end: end > start ? this.original(end - 1, lines) : null,
        })),
      });
    });
    return found;
  }
}

/**
 * Where a statement begins to evaluate: a minifier that merges many returns into one keeps the place of only one of
 * them for the keyword, but the value begins with what runs first.
 */
function evaluated(code, start) {
  KEYWORD.lastIndex = start;
  return KEYWORD.test(code) ? KEYWORD.lastIndex : start;
}

/** Every counter in slot order: its kind, the offset that is looked up in the map, and its index within its kind. */
function generatedPoints(result, code) {
  const points = [];
  const push = (kind, at, index, end = at) => points.push({ slot: points.length, kind, at, end, index, body: -1 });
  result.statements.forEach(([start, end], index) => push('statement', evaluated(code, start), index, end));
  result.functions.forEach((fn, index) => {
    push('function', fn.range[0], index, fn.range[1]);
    points[points.length - 1].body = fn.loc[0];
  });
  result.branches.forEach(({ type, loc, arms }, group) =>
    arms.forEach(([start, end], arm) => {
      if (type !== 'if') push('arm', start, group);
      // What is in an arm of an `if` has counters of its own; only an else that is not written has none.
      else push(arm === 1 && start === end ? 'else' : 'none', loc[0], group);
    }),
  );
  result.extra.forEach(([start, end], index) => push('extra', start, index, end));
  return points;
}

/** A counter of a script whose source was parsed: the innermost statement, function or arm around its position. */
function exact(point, [source, line, column], table, mapping, lines) {
  const offset = source.lines.offset(line, column);
  if (offset < 0) return;
  const add = (probe) => table.push(point.slot, source.file, probe);
  if (point.kind === 'else') {
    const missing = source.elses.get(offset);
    if (missing !== undefined) add(source.armBase + missing);
    return;
  }
  if (point.kind === 'function') {
    const index = functionAt(point, source, offset, mapping, lines);
    if (index >= 0) add(source.functionBase + index);
    return;
  }
  if (point.kind !== 'arm') {
    const index = source.statement.find(offset);
    if (index >= 0) add(index);
  }
  const arm = source.arm.find(offset);
  if (arm >= 0) add(source.armBase + arm);
}

/** The original function of a generated one: by where it is declared, or by where its body begins if that lies deeper. */
function functionAt(point, source, offset, mapping, lines) {
  const outer = source.function.find(offset);
  if (outer >= 0 && source.result.functions[outer].range[0] === offset) return outer;
  const body = mapping.original(point.body, lines);
  if (!body || body[0] !== source) return outer;
  const inner = source.function.find(source.lines.offset(body[1], body[2]));
  return inner >= 0 && source.function.parents[inner] === outer ? inner : outer;
}

/** Adds what can be inferred for the probes that no counter led to. */
function complete(files, table) {
  const slots = files.map((source) =>
    source.result ? Array.from({ length: source.armBase + source.armRanges.length }, () => []) : null,
  );
  for (let at = 0; at < table.length; at += 3) slots[table[at + 1]]?.[table[at + 2]].push(table[at]);
  files.forEach((source, file) => {
    if (!slots[file]) return;
    const added = infer(source, slots[file]);
    for (let at = 0; at < added.length; at += 2) table.push(added[at], file, added[at + 1]);
  });
}

/**
 * A function without a counter of its own (a minifier put it into its caller) ran when one of its statements did. Of what a
 * transpiler made that is so of each: it puts functions around functions.
 */
function fillFunctions(source, table, made) {
  const counted = new Set();
  for (let at = 0; at < table.length; at += 3) if (table[at + 1] === source.file) counted.add(table[at + 2]);
  const { owner, statements } = source.result;
  for (let at = 0, size = table.length; at < size; at += 3) {
    if (table[at + 1] !== source.file || table[at + 2] >= statements.length) continue;
    const fn = owner[table[at + 2]];
    if (fn >= 0 && (made || !counted.has(source.functionBase + fn))) table.push(table[at], source.file, source.functionBase + fn);
  }
}

const parsedShape = (source) => ({
  path: source.path,
  text: source.content,
  vendor: source.vendor,
  mined: source.mined,
  ...shape(source.result, source.lines),
});

function note(loose, point, position, end) {
  const [source] = position;
  if (point.kind === 'arm' || point.kind === 'else') return;
  if (!loose.has(source)) loose.set(source, []);
  loose.get(source).push({ point, position, end: end?.[0] === source ? end : position });
}
