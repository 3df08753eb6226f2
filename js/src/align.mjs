// A source map for code that came without one: the words of a source and of what a transpiler made of it, laid side by side.
import { TraceMap } from '@jridgewell/trace-mapping';
import { Lines } from './shape.mjs';

const TOKEN =
  /\/\/[^\n]*|\/\*[^]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[\p{ID_Start}$_#][\p{ID_Continue}$]*|\d[\w.]*|[^\s]/gu;
const WORD = /^["'\p{ID_Start}$_#\d]/u;
/** Words of both texts, multiplied: beyond that it takes too long. */
const MOST = 200_000_000;
/** Share of a source's words that must come back close together for the code to be made of it: any large text holds most. */
const ENOUGH = 0.5;
const CLOSE = 4;

/** Tokens [[text, offset], ...] without comments; a string is its content, since `<li>` becomes "li". */
function tokens(code) {
  const found = [];
  for (const { 0: text, index } of code.matchAll(TOKEN)) {
    if (text.startsWith('//') || text.startsWith('/*')) continue;
    const quoted = text.length > 1 && (text[0] === '"' || text[0] === "'");
    found.push({ text: quoted ? text.slice(1, -1) : text, at: index, word: WORD.test(text) });
  }
  return found;
}

/** Lengths of the longest common subsequences of `a[a0..a1]` with each beginning (or, backwards, end) of `b[b0..b1]`. */
function lengths(a, b, [a0, a1], [b0, b1], backwards) {
  const size = b1 - b0;
  let row = new Int32Array(size + 1);
  for (let i = 0; i < a1 - a0; i++) {
    const next = new Int32Array(size + 1);
    const one = a[backwards ? a1 - 1 - i : a0 + i];
    for (let j = 0; j < size; j++)
      next[j + 1] =
        one === b[backwards ? b1 - 1 - j : b0 + j] ? row[j] + 1 : next[j] > row[j + 1] ? next[j] : row[j + 1];
    row = next;
  }
  return row;
}

/** Pairs of a longest common subsequence of two arrays (Hirschberg, Communications of the ACM 18(6), 1975), in order. */
export function commonPairs(a, b) {
  const pairs = [];
  const work = [[0, a.length, 0, b.length]];
  while (work.length) {
    const [a0, a1, b0, b1] = work.pop();
    if (a0 === a1 || b0 === b1) continue;
    if (a[a0] === b[b0]) {
      pairs.push([a0, b0]);
      work.push([a0 + 1, a1, b0 + 1, b1]);
      continue;
    }
    if (a1 - a0 === 1) {
      const at = b.indexOf(a[a0], b0);
      if (at >= 0 && at < b1) pairs.push([a0, at]);
      continue;
    }
    const middle = (a0 + a1) >> 1;
    const left = lengths(a, b, [a0, middle], [b0, b1], false);
    const right = lengths(a, b, [middle, a1], [b0, b1], true);
    let best = 0;
    for (let j = 0; j <= b1 - b0; j++) if (left[j] + right[b1 - b0 - j] > left[best] + right[b1 - b0 - best]) best = j;
    work.push([middle, a1, b0 + best, b1], [a0, middle, b0, b0 + best]);
  }
  return pairs;
}

/** Pairs of tokens: the words that both texts have, and beside those the punctuation that is the same. */
function tokenPairs(source, made) {
  const words = source.flatMap((token, index) => (token.word ? [index] : []));
  const others = made.flatMap((token, index) => (token.word ? [index] : []));
  if (words.length * others.length > MOST) return { pairs: [], share: 0 };
  const texts = (list, of) => of.map((index) => list[index].text);
  const common = commonPairs(texts(source, words), texts(made, others));
  const close = common.filter(([, b], at) => b - (common[at ? at - 1 : 1]?.[1] ?? b) <= CLOSE).length;
  const pairs = common.map(([a, b]) => [words[a], others[b]]);
  const all = [];
  let [a, b] = [0, 0];
  for (const [x, y] of [...pairs, [source.length, made.length]]) {
    while (a < x && b < y && source[a].text === made[b].text) all.push([a++, b++]);
    const behind = [];
    let [i, j] = [x, y];
    while (i > a && j > b && source[i - 1].text === made[j - 1].text) behind.push([--i, --j]);
    all.push(...behind.reverse());
    if (x < source.length) all.push([x, y]);
    [a, b] = [x + 1, y + 1];
  }
  return { pairs: all, share: words.length ? close / words.length : 0 };
}

/**
 * The map from made code to the one of several sources that it was made of; null where it is of none of them.
 *
 * @param {string} code
 * @param {{name: string, text: string}[]} sources
 * @returns {TraceMap | null}
 */
export function alignedMap(code, sources) {
  const made = tokens(code);
  let best = { share: ENOUGH };
  for (const source of sources) {
    const given = tokens(source.text);
    const { pairs, share } = tokenPairs(given, made);
    if (share > best.share) best = { share, source, given, pairs };
  }
  if (!best.source) return null;
  const from = new Lines(best.source.text);
  const to = new Lines(code);
  const mappings = to.starts.map(() => []);
  for (const [a, b] of best.pairs) {
    const at = best.given[a].at;
    const line = to.line(made[b].at);
    const sourceLine = from.line(at);
    mappings[line].push([made[b].at - to.starts[line], 0, sourceLine, at - from.starts[sourceLine]]);
  }
  const { name, text } = best.source;
  return new TraceMap({ version: 3, sources: [name], sourcesContent: [text], names: [], mappings });
}
