// Where the counters of a script would be in the text that the browser runs, for measuring without counters: the
// browser reports which ranges of that text ran.
import { createHash } from 'node:crypto';
import { pack } from './shape.mjs';

const STATIC = /^static(?:\s|\/\*[^]*?\*\/|\/\/.*\n)+(?=[^\s(=;])/;
const LINE_END = /\r\n?/g;

/** Offset where V8 says that a function begins: `static` does not belong to it. */
function startOf({ range }, code) {
  return range[0] + (STATIC.exec(code.slice(range[0], range[0] + 200))?.[0].length ?? 0);
}

/** Turns offsets of a text into those of the text whose lines end as html parsers make them. */
function shortener(code) {
  const gone = [...code.matchAll(/\r\n/g)].map((match) => match.index);
  if (gone.length === 0) return (offset) => offset;
  return (offset) => {
    let low = 0;
    let high = gone.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (gone[middle] < offset) low = middle + 1;
      else high = middle;
    }
    return offset - low;
  };
}

/**
 * Places of an instrumented script's slots. `inline` is for code inside html, whose line ends the browser has changed.
 *
 * `slots`: rows of offset (-1: nobody can tell), offset that must have run less often (-1: none), home, end; `homes`: rows of
 * start, end and kind (0 function, 1 fields of a class, 2 its static members), functions first. A home is an index into
 * those, -1 for the script itself. `digest` is SHA-256 of the text in UTF-8.
 *
 * @param {import('./inject/index.mjs').Instrumented} result
 * @param {string} code as it was instrumented
 * @param {{inline?: boolean, at?: [number, number]}} [options] `at`: line and column, from 0, of the code in its file
 */
export function places(result, code, { inline = false, at = [0, 0] } = {}) {
  const { homes, initializers, armStarts } = result.running;
  const functions = result.functions.length;
  const short = inline ? shortener(code) : (offset) => offset;
  const place = (offset) => (offset < 0 ? -1 : short(offset));
  const home = (index) => (index < -1 ? functions - 2 - index : index);
  const row = (start, less, where, end) => [place(start), place(less), home(where), place(end)];
  const arms = result.branches.flatMap((branch) => branch.arms);
  const text = inline ? code.replace(LINE_END, '\n') : code;
  return {
    digest: createHash('sha256').update(text, 'utf8').digest('hex'),
    length: text.length,
    text: inline ? text : null,
    at,
    slots: pack(
      [
        ...result.statements.map(([start, end], i) => row(start, -1, homes.statements[i], end)),
        ...result.functions.map(({ range }, i) => row(range[0], -1, i, range[1])),
        ...arms.map(([, end], i) => row(...armStarts[i], homes.arms[i], end)),
        ...result.extra.map(([start, end], i) => row(start, -1, homes.extra[i], end)),
      ].flat(),
    ),
    homes: pack(
      [
        ...result.functions.map((one) => [place(startOf(one, code)), place(one.range[1]), 0]),
        ...initializers.map(({ kind, range }) => [place(range[0]), place(range[1]), kind]),
      ].flat(),
    ),
  };
}
