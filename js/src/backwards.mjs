// From the sources to the text that a transpiler made of them: places for the statements that none of its own statements led to.
//
// A field of a class becomes an argument of a call, what stands behind an `await` a case of a switch: no statement begins
// there, but the browser can tell all the same how often the place ran.
import { decodedMappings } from '@jridgewell/trace-mapping';
import { innermost } from './shape.mjs';

/**
 * Adds an extra point to `result` and its row to `table` where the first part of each bare statement stands in the script.
 *
 * @param {import('./maps.mjs').Mapping} mapping
 * @param {import('./inject/index.mjs').Instrumented} result of the script
 * @param {import('./shape.mjs').Lines} lines of the script
 * @param {number[]} table [counter, file, probe of the file, ...]
 */
export function placeBare(mapping, result, lines, table) {
  const arms = result.branches.reduce((sum, branch) => sum + branch.arms.length, 0);
  const base = result.statements.length + result.functions.length + arms;
  const home = homeFinder(result);
  for (const [source, statement, places] of bareStatements(mapping, lines, table)) {
    for (const offset of places) {
      table.push(base + result.extra.length, source.file, statement);
      result.extra.push([offset, offset + 1]);
      const [owner, where] = home(offset);
      result.extraOwner.push(owner);
      result.running.homes.extra.push(where);
    }
  }
}

/** The statements that no counter stands for: [source, statement, offsets in the script where its first part is]. */
function bareStatements(mapping, lines, table) {
  const counted = new Set();
  for (let at = 0; at < table.length; at += 3) counted.add(`${table[at + 1]} ${table[at + 2]}`);
  const found = new Map();
  decodedMappings(mapping.trace).forEach((segments, line) => {
    for (const [column, index, sourceLine, sourceColumn] of segments) {
      const source = mapping.sources[index];
      if (!source?.result || source.vendor || source.file === undefined) continue;
      const from = source.lines.offset(sourceLine, sourceColumn);
      const statement = from < 0 ? -1 : source.statement.find(from);
      if (statement < 0 || counted.has(`${source.file} ${statement}`) || !isOf(statement, from, source)) continue;
      const key = `${source.file} ${statement}`;
      const known = found.get(key);
      const place = lines.starts[line] + column;
      if (!known || from < known.from) found.set(key, { from, row: [source, statement, [place]] });
      else if (from === known.from) known.row[2].push(place);
    }
  });
  return [...found.values()].map(({ row }) => row);
}

/** Whether what begins at an offset runs with the statement around it, not in a function within. */
function isOf(statement, offset, { result, function: around }) {
  return offset === result.statements[statement][0] || around.find(offset) === result.owner[statement];
}

/** Finds for an offset the function around it, and where it runs: that, or a class's initializer as places.mjs has them. */
function homeFinder({ functions, running }) {
  const all = [...functions.map(({ range }) => range), ...running.initializers.map(({ range }) => range)];
  const ranges = innermost(all);
  return (offset) => {
    let at = ranges.find(offset);
    while (at >= 0 && at < functions.length && all[at][0] === offset) at = ranges.parents[at];
    if (at < functions.length) return [at, at];
    let owner = ranges.parents[at];
    while (owner >= functions.length) owner = ranges.parents[owner];
    return [owner, -2 - (at - functions.length)];
  };
}
