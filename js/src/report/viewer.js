// The source view: a dialog that shows one file with what ran and what did not. Only the rows in sight are in the
// document, so that a bundle of a megabyte opens at once.
import { colour, make } from './dom.js';
import { firstAfter, layOut, rowAt } from './layout.js';
import { tokenize } from './tokens.js';

const HEIGHT = 20;
const SPARE = 20;
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** @returns {{open: (file: number, line: number, column: number) => void, close: () => void}} */
export function startViewer(files) {
  const view = build();
  let shown = null;
  const draw = () => shown && drawRows(view, shown);
  view.scroll.addEventListener('scroll', () => requestAnimationFrame(draw), { passive: true });
  new ResizeObserver(draw).observe(view.scroll);

  const open = (number, line, column) => {
    const file = files[number];
    if (!file) return;
    if (!view.dialog.open) view.dialog.showModal();
    if (shown?.file !== file) shown = load(view, file);
    const { starts, lineStarts } = shown.layout;
    shown.row = line ? rowAt(starts, (lineStarts[line - 1] ?? Infinity) + column) : -1;
    goTo(view, shown.row);
    draw();
    view.scroll.focus();
  };
  const close = () => view.dialog.open && view.dialog.close();
  const jump = (by) => {
    const row = shown && nextMissed(shown.layout, Math.round(view.scroll.scrollTop / HEIGHT) + 3, by);
    if (row >= 0) goTo(view, row);
  };
  view.next.addEventListener('click', () => jump(1));
  view.previous.addEventListener('click', () => jump(-1));
  view.dialog.addEventListener('keydown', (event) => {
    if (event.key === 'n') jump(1);
    if (event.key === 'p') jump(-1);
  });
  view.ruler.addEventListener('click', (event) => {
    view.scroll.scrollTop = (event.offsetY / view.ruler.clientHeight) * view.scroll.scrollHeight - 200;
  });
  view.dialog.addEventListener('click', (event) => event.target === view.dialog && close());
  view.dialog.addEventListener('close', () => {
    // Without this the same link would not open the file a second time.
    if (location.hash.startsWith('#source-')) history.replaceState(null, '', '#files');
  });
  return { open, close };
}

function build() {
  const button = (label, title) => {
    const element = make('button', '', label);
    element.type = 'button';
    element.title = title;
    return element;
  };
  const view = {
    dialog: make('dialog'),
    title: make('h2'),
    facts: make('span', 'aside'),
    note: make('p', 'viewer-note'),
    scroll: make('div', 'viewer-scroll'),
    spacer: make('div'),
    lines: make('div', 'viewer-lines'),
    ruler: make('canvas', 'viewer-ruler'),
    previous: button('↑ Unreached', 'Previous code that never ran (p)'),
    next: button('↓ Unreached', 'Next code that never ran (n)'),
  };
  const close = button('Close', 'Close (Escape)');
  close.addEventListener('click', () => view.dialog.close());
  view.scroll.tabIndex = 0;
  view.scroll.append(view.spacer, view.lines);
  view.dialog.setAttribute('aria-label', 'Source file');
  view.dialog.append(
    make(
      'div',
      'viewer',
      make('div', 'viewer-head', view.title, view.facts, view.previous, view.next, close),
      view.note,
      make('div', 'viewer-body', view.scroll, view.ruler),
    ),
  );
  document.body.append(view.dialog);
  return view;
}

function load(view, file) {
  const layout = layOut(file);
  const share = (flat) => {
    let ran = 0;
    for (let i = 4; i < flat.length; i += 5) ran += flat[i];
    return `${ran}/${flat.length / 5}`;
  };
  view.title.textContent = file.path;
  view.facts.textContent = `${share(file.statements)} statements, ${share(file.functions)} functions, ${share(file.branches)} branches`;
  const unfolded = layout.starts.length - layout.lineStarts.length;
  view.note.textContent = file.missing || (unfolded > 0 ? 'Long lines are broken where statements begin; line numbers are the file’s own.' : '');
  view.note.hidden = !view.note.textContent;
  view.spacer.style.height = `${file.text ? layout.starts.length * HEIGHT : 0}px`;
  view.scroll.scrollLeft = 0;
  drawRuler(view.ruler, layout);
  return { file, layout, tokens: tokenize(file.text, file.path), row: -1 };
}

function goTo(view, row) {
  view.scroll.scrollTop = Math.max(0, row * HEIGHT - 3 * HEIGHT);
}

function nextMissed({ state }, from, by) {
  // A block of rows that never ran counts once: first leave the one that is in sight.
  let row = Math.min(Math.max(from, 0), state.length - 1);
  while (row >= 0 && row < state.length && state[row] & 2) row += by;
  while (row >= 0 && row < state.length && !(state[row] & 2)) row += by;
  return row < state.length ? row : -1;
}

function drawRows(view, shown) {
  if (!shown.file.text) return view.lines.replaceChildren();
  const count = shown.layout.starts.length;
  const first = Math.max(0, Math.floor(view.scroll.scrollTop / HEIGHT) - SPARE);
  const last = Math.min(count, first + Math.ceil(view.scroll.clientHeight / HEIGHT) + 2 * SPARE);
  const rows = [];
  for (let row = first; row < last; row++) rows.push(drawRow(shown, row));
  view.lines.style.transform = `translateY(${first * HEIGHT}px)`;
  view.lines.replaceChildren(...rows);
}

const STATES = ['', 'hit', 'miss', 'part'];

function drawRow({ file, layout, tokens, row: here }, row) {
  const { starts, ends, lines, state } = layout;
  const begins = row === 0 || lines[row - 1] !== lines[row];
  const gutter = make('span', 'gutter', begins ? String(lines[row]) : '·');
  const code = make('span', 'code');
  const element = make('div', `row ${STATES[state[row]]}${row === here ? ' here' : ''}`, gutter, code);
  for (const [start, end, kind] of pieces(starts[row], ends[row], layout, tokens)) {
    const text = file.text.slice(start, end).replace(HIDDEN, (letter) => `⟨U+${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
    code.append(kind ? make('span', kind, text) : text);
  }
  return element;
}

/** Cuts [start, end) wherever a token, missed code or an untaken branch begins or ends. */
function* pieces(start, end, layout, tokens) {
  const inToken = cursor(tokens, 3, start);
  const inMissed = cursor(layout.missed, 2, start);
  const inArm = cursor(layout.arms, 2, start);
  for (let at = start; at < end; ) {
    const [token, tokenStop] = inToken(at);
    const [missed, missedStop] = inMissed(at);
    const [arm, armStop] = inArm(at);
    const stop = Math.min(end, tokenStop, missedStop, armStop);
    const kind = [token >= 0 ? `t${tokens[token + 2]}` : '', missed >= 0 ? 'm' : '', arm >= 0 && missed < 0 ? 'a' : ''];
    yield [at, stop, kind.filter(Boolean).join(' ')];
    at = stop;
  }
}

/** Walks flat ranges along with a position: gives [index of the range it is in or -1, where that changes]. */
function cursor(flat, size, start) {
  let index = Math.max(0, firstAfter(flat, start, size) - 1) * size;
  return (at) => {
    while (index < flat.length && flat[index + 1] <= at) index += size;
    if (index >= flat.length) return [-1, Infinity];
    return flat[index] <= at ? [index, flat[index + 1]] : [-1, flat[index]];
  };
}

/** The whole file at a glance beside the scroll bar. */
function drawRuler(canvas, { state }) {
  canvas.width = 12;
  canvas.height = 800;
  const pen = canvas.getContext('2d');
  const colours = [null, colour('--hit'), colour('--miss'), colour('--amber')];
  const each = canvas.height / state.length;
  // What never ran is drawn last: it must not hide behind its neighbours when many rows share a pixel.
  for (const kind of [1, 3, 2]) {
    pen.fillStyle = colours[kind];
    state.forEach((value, row) => value === kind && pen.fillRect(3, row * each, 6, Math.max(1, each)));
  }
}
