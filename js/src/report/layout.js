// From a file's text and probes to rows for the source view. A minified line of a megabyte becomes many rows, broken
// where statements begin, so that it can be read and scrolled.

const LONG = 200;
const ROW = 80;
const LONGEST = 400;
const LINE_END = /\r\n|[\n\r\u2028\u2029]/g;

/**
 * @typedef {{starts: Uint32Array, ends: Uint32Array, lines: Uint32Array, state: Uint8Array, missed: number[],
 *   arms: number[], lineStarts: number[]}} Layout
 * starts, ends: offsets of each row; lines: its line, from 1; state: bit 1 something ran, bit 2 something did not;
 * lineStarts: offset of each line; missed, arms: flat [start, end] offsets of code that never ran and of branches never taken, in order.
 */

/** @returns {Layout} */
export function layOut(file) {
  const lineStarts = findLines(file.text);
  const offset = (line, column) => (lineStarts[line - 1] ?? file.text.length) + column;
  const places = (flat, each) => {
    for (let i = 0; i < flat.length; i += 5) {
      each(offset(flat[i], flat[i + 1]), offset(flat[i + 2], flat[i + 3]), flat[i + 4]);
    }
  };
  const begins = [];
  const missed = [];
  places(file.statements, (start, end, ran) => {
    begins.push(start);
    if (!ran) missed.push([start, end]);
  });
  begins.sort((a, b) => a - b);
  const rows = breakRows(file.text, lineStarts, begins);
  const state = new Uint8Array(rows.starts.length);
  const mark = (start, end, ran) => (state[rowAt(rows.starts, start)] |= ran ? 1 : 2);
  places(file.statements, mark);
  places(file.functions, mark);
  const arms = [];
  places(file.branches, (start, end, ran) => {
    if (!ran && end > start) arms.push([start, text(file, start, 'if') ? start + 2 : end]);
  });
  return { ...rows, state, missed: merge(missed), arms: merge(arms), lineStarts };
}

const text = (file, at, word) => file.text.startsWith(word, at);

function findLines(source) {
  const starts = [0];
  for (const found of source.matchAll(LINE_END)) starts.push(found.index + found[0].length);
  return starts;
}

function breakRows(source, lineStarts, begins) {
  const starts = [];
  const ends = [];
  const lines = [];
  let next = 0;
  const add = (start, end, line) => {
    // A run of text without any statement is cut hard: a base64 string, a table.
    for (let at = start; at === start || at < end; at += LONGEST) {
      starts.push(at);
      ends.push(Math.min(end, at + LONGEST));
      lines.push(line);
    }
  };
  for (let index = 0; index < lineStarts.length; index++) {
    const line = index + 1;
    let from = lineStarts[index];
    const end = trimEnd(source, from, lineStarts[line] ?? source.length);
    while (next < begins.length && begins[next] <= from) next++;
    if (end - from > LONG) {
      for (; next < begins.length && begins[next] < end; next++) {
        if (begins[next] - from < ROW) continue;
        add(from, begins[next], line);
        from = begins[next];
      }
    }
    add(from, end, line);
  }
  return { starts: Uint32Array.from(starts), ends: Uint32Array.from(ends), lines: Uint32Array.from(lines) };
}

function trimEnd(source, from, end) {
  while (end > from && '\r\n\u2028\u2029'.includes(source[end - 1])) end--;
  return end;
}

/** Overlapping ranges as one, flat and in order. */
function merge(ranges) {
  ranges.sort((a, b) => a[0] - b[0]);
  const flat = [];
  for (const [start, end] of ranges) {
    if (flat.length && start <= flat.at(-1)) flat[flat.length - 1] = Math.max(flat.at(-1), end);
    else flat.push(start, end);
  }
  return flat;
}

/** Index of the last row that begins at or before an offset. */
export function rowAt(starts, offset) {
  return Math.max(0, firstAfter(starts, offset, 1) - 1);
}

/** Index (in steps of `size`) of the first entry whose first number is greater than `value`. */
export function firstAfter(flat, value, size) {
  let low = 0;
  let high = flat.length / size;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (flat[middle * size] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
