// The report's pure parts: tokens, rows, places of states.
import { firstAfter, layOut, rowAt } from '../../js/src/report/layout.js';
import { NODE, placeStates } from '../../js/src/report/positions.js';
import { COMMENT, KEYWORD, NAME, NUMBER, STRING, tokenize } from '../../js/src/report/tokens.js';
import { check, ok, report, same } from './checks.mjs';

const NAMES = { [COMMENT]: 'comment', [STRING]: 'string', [KEYWORD]: 'keyword', [NUMBER]: 'number', [NAME]: 'name' };

/** `[[kind, text], ...]` of a source text. */
function told(text, path = 'a.js') {
  const tokens = tokenize(text, path);
  const found = [];
  for (let at = 0; at < tokens.length; at += 3) {
    ok(at === 0 || tokens[at] >= tokens[at - 2], 'tokens do not overlap');
    found.push([NAMES[tokens[at + 2]], text.slice(tokens[at], tokens[at + 1])]);
  }
  return found;
}

const strings = (text, path) => told(text, path).filter(([kind]) => kind === 'string').map(([, text]) => text);

check('comments, strings, keywords, numbers and calls', () => {
  same(told("let x = 0x1F; // one\nf('a\\'b') /* two */"), [
    ['keyword', 'let'],
    ['number', '0x1F'],
    ['comment', '// one'],
    ['name', 'f'],
    ['string', "'a\\'b'"],
    ['comment', '/* two */'],
  ]);
});

check('a slash divides or begins a regular expression', () => {
  same(strings('a / b / c; x = /[/"]+/g.test(s); return /"/; (a) / 2; a[0] /1/ 2; y = b++ / "q"'), ['/[/"]+/g', '/"/', '"q"']);
});

check('templates nest', () => {
  same(strings('`a ${ {b: `c${d}e`} } f` + "g"'), ['`a ${', '`c${', '}e`', '} f`', '"g"']);
  same(strings('`$ $a \\` \\${x}`'), ['`$ $a \\` \\${x}`']);
});

check('properties that are called like keywords stay plain', () => {
  same(told('a.delete; promise.catch(e)'), [['name', 'catch']]);
});

check('what is not closed ends with its line or the file', () => {
  same(strings('"abc\nlet y'), ['"abc']);
  same(told('/* abc'), [['comment', '/* abc']]);
  same(strings('`abc ${'), ['`abc ${']);
});

check('html colours its scripts as scripts', () => {
  const text = '<!-- x --><p class="y">it\'s</p><script type="module">let a = "</p>";</script><b>let</b>';
  same(told(text, 'index.html'), [
    ['comment', '<!-- x -->'],
    ['keyword', '<p'],
    ['string', '"y"'],
    ['keyword', '</p'],
    ['keyword', '<script'],
    ['keyword', 'let'],
    ['string', '"</p>"'],
    ['keyword', '</script'],
    ['keyword', '<b'],
    ['keyword', '</b'],
  ]);
});

check('any text is read to its end', () => {
  for (const text of ['}', '}`', '${', '\\', '`', '\u2028', '/', '</script>', '🎈'.repeat(9), '\0']) {
    tokenize(text, 'a.js');
    tokenize(text, 'a.html');
  }
});

const file = (text, { statements = [], functions = [], branches = [] } = {}) => ({ text, statements, functions, branches });
const rows = ({ starts, ends }, text) => [...starts].map((start, row) => text.slice(start, ends[row]));

check('short lines are rows, whatever ends them', () => {
  const text = 'a\r\nb\rc\u2028d\n';
  const layout = layOut(file(text));
  same(rows(layout, text), ['a', 'b', 'c', 'd', '']);
  same([...layout.lines], [1, 2, 3, 4, 5]);
});

check('a long line is broken where statements begin, and nothing is lost', () => {
  const one = 'function f(a){return a?g(a):h(a)}';
  const text = one.repeat(100);
  const statements = [...Array(100).keys()].flatMap((at) => [1, at * one.length + 14, 1, at * one.length + 32, at % 2]);
  const layout = layOut(file(text, { statements }));
  same(rows(layout, text).join(''), text);
  ok(rows(layout, text).slice(1).every((row) => row.startsWith('return')), 'rows begin with statements');
  ok(Math.max(...rows(layout, text).map((row) => row.length)) <= 400);
  ok(layout.lines.every((line) => line === 1));
});

check('text without statements is cut hard', () => {
  const text = `x = "${'a'.repeat(5000)}"`;
  const layout = layOut(file(text));
  same(rows(layout, text).join(''), text);
  same(layout.starts.length, 13);
});

check('rows know what ran', () => {
  const text = 'a();\nb();\nif (c) d(); else e();\n\n';
  const statements = [1, 0, 1, 4, 1, 2, 0, 2, 4, 0, 3, 0, 3, 21, 1, 3, 7, 3, 11, 0];
  const layout = layOut(file(text, { statements, branches: [3, 0, 3, 21, 0] }));
  same([...layout.state], [1, 2, 3, 0, 0]);
  same(layout.missed, [5, 9, 17, 21]);
  same(layout.arms, [10, 12], 'an untaken if is marked at its keyword');
});

check('a file without text or with places beyond it has one empty row', () => {
  const layout = layOut(file('', { statements: [7, 1, 9, 2, 0] }));
  same([...layout.starts], [0]);
});

check('search among rows', () => {
  const starts = Uint32Array.from([0, 10, 20]);
  same([0, 9, 10, 99].map((offset) => rowAt(starts, offset)), [0, 0, 1, 2]);
  same(firstAfter([0, 5, 8, 9], 5, 2), 1);
});

const chain = (length) => ({
  nodes: [...Array(length).keys()].map((id) => ({ id })),
  edges: [...Array(length - 1).keys()].map((from) => ({ from, to: from + 1 })),
});

function apart(places) {
  const spots = [...places.values()];
  return spots.every((a, i) =>
    spots.every((b, j) => i === j || Math.abs(a.x - b.x) >= NODE.width || Math.abs(a.y - b.y) >= NODE.height),
  );
}

check('states never lie on each other', () => {
  for (const size of [{ width: 900, height: 500 }, { width: 300, height: 500 }]) {
    ok(apart(placeStates(chain(60), size)), 'a chain');
    const star = { nodes: chain(40).nodes, edges: chain(40).edges.map(({ to }) => ({ from: 0, to })) };
    ok(apart(placeStates(star, size)), 'a star');
    const alone = { nodes: chain(5).nodes, edges: [] };
    ok(apart(placeStates(alone, size)), 'states without a way to them');
  }
});

check('a long chain is broken into bands that fill the canvas', () => {
  const places = [...placeStates(chain(60), { width: 900, height: 500 }).values()];
  const width = Math.max(...places.map(({ x }) => x)) - Math.min(...places.map(({ x }) => x));
  const height = Math.max(...places.map(({ y }) => y)) - Math.min(...places.map(({ y }) => y));
  ok(width / height < 4 && width / height > 0.8, `${width} by ${height}`);
});

check('a layer of many states is folded into columns', () => {
  const { nodes, edges } = chain(60);
  const star = { nodes, edges: edges.map(({ to }) => ({ from: 0, to })) };
  const places = [...placeStates(star, { width: 900, height: 500 }).values()];
  const width = Math.max(...places.map(({ x }) => x)) - Math.min(...places.map(({ x }) => x));
  const height = Math.max(...places.map(({ y }) => y)) - Math.min(...places.map(({ y }) => y));
  ok(width / height < 4 && width / height > 0.8, `${width} by ${height}`);
});

check('a short chain goes on in one line, along the longer side', () => {
  same(new Set([...placeStates(chain(4), { width: 900, height: 500 }).values()].map(({ y }) => Math.round(y))).size, 1);
  same(new Set([...placeStates(chain(3), { width: 300, height: 500 }).values()].map(({ x }) => Math.round(x))).size, 1);
});

report();
