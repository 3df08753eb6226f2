// Sources without a syntax tree (library code, Vue, Svelte): the counters' own mapped positions are their probes.
import { Lines, pack } from './shape.mjs';

const ANONYMOUS = /^\(anonymous_\d+\)$/;

/** Probes of one kind by where they begin; equal beginnings are one probe that reaches to the furthest end. */
class Places {
  constructor() {
    this.index = new Map();
    this.rows = [];
  }

  add([, line, column], [, endLine, endColumn]) {
    const key = line * 2 ** 26 + column;
    const known = this.index.get(key);
    const at = known ?? this.rows.length;
    if (known === undefined) {
      this.index.set(key, at);
      this.rows.push([line + 1, column, line + 1, column]);
    }
    const row = this.rows[at];
    if (endLine + 1 > row[2] || (endLine + 1 === row[2] && endColumn > row[3]))
      [row[2], row[3]] = [endLine + 1, endColumn];
    return at;
  }
}

const OPERATOR = /\?\?|\|\||&&/;

/**
 * Whether a branch was made by a compiler alone: `{count}` becomes `count ?? ''`, whose second arm nobody can reach.
 * So it is for `??`, `||` and `&&` that the user's text does not have there, where arms have no place of their own.
 */
function isMade(source, { type, position, end, arms }) {
  if (type !== 'binary-expr' || source.content === null || position?.[0] !== source) return false;
  const places = arms.map((arm) => range(source, arm.position, arm.end).join());
  const apart = arms.every((arm, at) => {
    const [line, column, endLine, endColumn] = range(source, arm.position, arm.end);
    return (line !== endLine || column !== endColumn) && places.indexOf(places[at]) === at;
  });
  const text = textAround(source, range(source, position, end));
  return !apart && text !== '' && !OPERATOR.test(text);
}

/**
 * The text of a range, to the end of the expression or line that it ends in: maps tell where things begin. '' where it
 * is outside of the source.
 */
function textAround(source, [line, column, endLine, endColumn]) {
  source.lines ??= new Lines(source.content);
  const start = source.lines.offset(line - 1, column);
  const end = source.lines.offset(endLine - 1, endColumn);
  if (start < 0 || end < 0) return '';
  const rest = /^[^}\n]*/.exec(source.content.slice(end))[0];
  return source.content.slice(start, end) + rest;
}

/** Branches by type, place and size; the same branch built twice is one. `base` is the first arm's local id. */
function branchesOf(source, forks, base, table) {
  const known = new Map();
  const found = { types: [], loc: [], sizes: [], arms: [], owner: [] };
  let total = 0;
  for (const { type, position, end, owner, arms } of forks) {
    const key = `${type} ${position[1]} ${position[2]} ${arms.length}`;
    if (!known.has(key)) {
      known.set(key, total);
      total += arms.length;
      found.types.push(type);
      found.loc.push(...range(source, position, end));
      found.sizes.push(arms.length);
      found.owner.push(owner);
      for (const arm of arms) found.arms.push(...range(source, arm.position, arm.end));
    }
    arms.forEach((arm, at) => table.push(arm.slot, source.file, base + known.get(key) + at));
  }
  return { ...found, loc: pack(found.loc), sizes: pack(found.sizes), arms: pack(found.arms), owner: pack(found.owner) };
}

/** Line, column, end line and end column of two positions in the source; four zeros where the first is elsewhere. */
function range(source, position, end) {
  if (position?.[0] !== source) return [0, 0, 0, 0];
  const [, line, column] = position;
  const last = end?.[0] === source && (end[1] > line || (end[1] === line && end[2] > column)) ? end : position;
  return [line + 1, column, last[1] + 1, last[2]];
}

/**
 * Shape of a source from `marks`, the counters that the map leads to it: {point, position, end}, and `forks`, the
 * branches that begin in it. Adds them to `table`. `result` is the served script's, `rows` what was mined in it.
 */
export function looseShape(source, marks, forks, { table, result, rows }) {
  const statements = new Places();
  const functions = new Places();
  const placed = marks.map(({ point, position, end }) =>
    (point.kind === 'function' ? functions : statements).add(position, end),
  );
  const names = [];
  const functionOf = new Map();
  marks.forEach(({ point, position }, at) => {
    const isFunction = point.kind === 'function';
    table.push(point.slot, source.file, isFunction ? statements.rows.length + placed[at] : placed[at]);
    if (!isFunction) return;
    const built = result.functions[point.index].name;
    names[placed[at]] ??= ANONYMOUS.test(built) ? built : (position[3] ?? built);
    functionOf.set(point.index, placed[at]);
  });
  const owner = new Int32Array(statements.rows.length).fill(-1);
  marks.forEach(({ point }, at) => {
    if (point.kind === 'statement') owner[placed[at]] = functionOf.get(result.owner[point.index]) ?? -1;
  });
  const placedForks = forks.filter((fork) => source.vendor || !isMade(source, fork)).map((fork) => ({ ...fork, owner: functionOf.get(fork.owner) ?? -1 }));
  const mined = source.vendor ? [] : rows.filter(([fn]) => functionOf.has(fn));
  const places = pack(functions.rows.flat());
  return {
    path: source.path,
    text: source.vendor ? '' : (source.content ?? ''),
    vendor: source.vendor,
    problem: source.problem ?? '',
    parsed: 'points',
    statements: pack(statements.rows.flat()),
    owner: pack(owner),
    functions: { names, decl: places, loc: places, parent: pack(new Int32Array(names.length).fill(-1)) },
    branches: branchesOf(source, placedForks, statements.rows.length + functions.rows.length, table),
    mined: mined.map(([fn, ...lists]) => [functionOf.get(fn), ...lists]),
  };
}
