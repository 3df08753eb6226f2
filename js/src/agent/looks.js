/** Measures how a state looks: what anybody could check with a ruler, a colour picker and the accessibility tree. */
import { Map, Math, Set, boxOf, doc, getComputedStyle, matches, pristine, stringify, win } from './natives.js';
import { backgrounds, contrast, rgba, shown } from './colours.js';
import { deepestAt, reaches } from './hits.js';
import { countNames, locatorOf } from './locators.js';
import { nameOf, tidy } from './names.js';
import { overlapping } from './overlaps.js';
import { ACTIVE, roleOf } from './roles.js';
import { shifted } from './shift.js';
import { attr, walk } from './tree.js';

const MOST_TEXTS = 400;
const MOST_CONTROLS = 300;
const EXAMPLES = 5;
/** CSS pixels: WCAG 2.2, success criterion 2.5.8. */
const TARGET = 24;
/** CSS pixels and weight from which text is large (WCAG 1.4.3). */
const LARGE = 24;
const LARGE_BOLD = 18.66;
const TINY_TEXT = 9;
/** Pixels that a rounded layout may be off by. */
const SLACK = 2;
const DISTORTION = 0.1;
const FIELDS = new Set(['textbox', 'searchbox', 'spinbutton', 'combobox', 'checkbox', 'radio', 'slider', 'date', 'time', 'month', 'week', 'datetime', 'file', 'color']);
/** Roles whose box is what a finger must hit. */
const TAPPED = new Set(['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'treeitem']);

/**
 * One JSON string: `{flaws: [[rule, brief, locator, detail, box]], counts: {rule: n}, texts, controls, images, fonts, sizes,
 * colours, shift}`. At most EXAMPLES flaws of a rule are described, all are counted.
 */
export function looks() {
  return pristine(() => stringify(measure()));
}

function measure() {
  const page = gather();
  const flaws = [];
  const counts = {};
  const blame = (rule, frame, detail, box) => {
    counts[rule] = (counts[rule] || 0) + 1;
    if (counts[rule] > EXAMPLES) return;
    flaws.push([rule, frame ? briefOf(frame) : 'page', frame ? locatorOf(frame) : '', detail, box || (frame ? pageBox(frame) : [0, 0, 0, 0])]);
  };
  wholePage(blame);
  const seen = styles(page.texts, blame);
  cut(page.texts, blame);
  overlapping(page.texts.map(({ frame, boxes, text }) => ({ frame, boxes, text }))).forEach(([one, other, box]) => {
    blame('overlapping-text', one.frame, `“${tidy(one.text, 30)}” and “${tidy(other.text, 30)}” lie over each other`, box);
  });
  controls(page.controls, blame);
  images(page.images, blame);
  return {
    flaws, counts, texts: page.texts.length, controls: page.controls.length, images: page.images.length, ...seen, shift: shifted(),
  };
}

/** Texts with their line boxes, controls and pictures that are shown. */
function gather() {
  const texts = new Map();
  const showing = windows();
  const found = { controls: [], images: [] };
  walk({
    open() {},
    close() {},
    leave() {},
    enter(frame) {
      countNames(frame);
      if (frame.gone || frame.name === 'head') return false;
      if (!frame.clear) return true;
      frame.role = roleOf(frame);
      if (frame.name === 'img' && found.images.length < MOST_CONTROLS) found.images.push(frame);
      if (ACTIVE.has(frame.role) && found.controls.length < MOST_CONTROLS && isPlaced(frame)) found.controls.push(frame);
      return true;
    },
    text(node, frame) {
      if (!frame || !frame.clear || texts.size >= MOST_TEXTS || !/\S/.test(node.data)) return;
      const boxes = lineBoxes(node, frame.scope).filter((box) => isInside(box, showing(frame)));
      if (!boxes.length) return;
      const known = texts.get(frame);
      if (known) {
        known.boxes.push(...boxes);
        known.text += ` ${node.data}`;
      } else {
        texts.set(frame, { frame, boxes, text: node.data });
      }
    },
  });
  return { ...found, texts: [...texts.values()].filter((text) => text.frame.name !== 'option') };
}

const SILENT = new Set(['script', 'style', 'noscript', 'template', 'title', 'textarea', 'select']);

function lineBoxes(node, scope) {
  if (SILENT.has(node.parentNode.localName)) return [];
  const range = node.ownerDocument.createRange();
  range.selectNodeContents(node);
  const boxes = [];
  for (const box of range.getClientRects()) {
    if (box.width > SLACK && box.height > SLACK) boxes.push([box.left + scope.dx, box.top + scope.dy, box.width, box.height]);
  }
  return boxes;
}

/** What is left of the page for a frame's content by the boxes around it that hide what sticks out: `[left, top, right, bottom]`. */
function windows() {
  const known = new Map();
  const page = [0, 0, Infinity, Infinity];
  return function showing(frame) {
    const path = [];
    for (let at = frame; at && !known.has(at); at = at.parent) path.push(at);
    while (path.length) {
      const at = path.pop();
      known.set(at, narrowed(at, (at.parent && known.get(at.parent)) || page));
    }
    return known.get(frame);
  };
}

function narrowed(frame, around) {
  const style = getComputedStyle(frame.element);
  // What is fixed escapes from the boxes around it.
  const [left, top, right, bottom] = style.position === 'fixed' ? [0, 0, Infinity, Infinity] : around;
  if (style.overflowX === 'visible' && style.overflowY === 'visible') return [left, top, right, bottom];
  if (frame.name === 'body' || frame.name === 'html') return [left, top, right, bottom]; // the viewport scrolls in their place
  const [x, y, w, h] = pageBox(frame);
  return [Math.max(left, x), Math.max(top, y), Math.min(right, x + w), Math.min(bottom, y + h)];
}

/** Whether something of a line can be seen within a window. */
function isInside([x, y, w, h], [left, top, right, bottom]) {
  return Math.min(x + w, right) - Math.max(x, left) > SLACK && Math.min(y + h, bottom) - Math.max(y, top) > SLACK;
}

function pageBox(frame) {
  const box = boxOf(frame.element);
  return [box.left + frame.scope.dx, box.top + frame.scope.dy, box.width, box.height].map(Math.round);
}

function isPlaced(frame) {
  const [, , width, height] = pageBox(frame);
  return width > SLACK && height > SLACK;
}

function briefOf(frame) {
  const name = nameOf(frame.element, frame.name, frame.scope.root);
  return `${frame.role || roleOf(frame) || frame.name}${name ? ` “${tidy(name, 40)}”` : ''}`;
}

/** What holds for the document as one. */
function wholePage(blame) {
  const root = doc.documentElement;
  if (!root || root.localName !== 'html') return;
  if (!doc.title.trim()) blame('page-without-title', null, 'the document has no title');
  if (!root.lang) blame('page-without-language', null, 'the html element has no lang');
  const wide = root.scrollWidth - win.innerWidth;
  if (wide > SLACK) blame('page-too-wide', null, `${wide} px of the page lie beside a viewport of ${win.innerWidth} px`);
}

/** Contrast and size of texts; what was seen of fonts, sizes and colours. */
function styles(texts, blame) {
  const behind = backgrounds();
  const fonts = new Set();
  const sizes = new Set();
  const colours = new Set();
  for (const { frame, boxes } of texts) {
    const style = getComputedStyle(frame.element);
    const size = parseFloat(style.fontSize);
    fonts.add(style.fontFamily.split(',')[0].replace(/["']/g, '').trim().toLowerCase());
    sizes.add(Math.round(size));
    colours.add(style.color);
    if (size < TINY_TEXT) blame('tiny-text', frame, `text of ${Math.round(size * 10) / 10} px`, boxes[0].map(Math.round));
    paintedText(frame, style, size, behind, blame, boxes[0]);
  }
  return { fonts: fonts.size, sizes: sizes.size, colours: colours.size };
}

function paintedText(frame, style, size, behind, blame, box) {
  const colour = rgba(style.color);
  const below = behind(frame);
  if (!colour || !below || colour[3] === 0 || matches(frame.element, ':disabled, [aria-disabled="true"], :disabled *')) return;
  if (style.webkitTextFillColor !== style.color || style.textShadow !== 'none') return;
  const large = size >= LARGE || (size >= LARGE_BOLD && +style.fontWeight >= 700);
  // What is seen beside the text is veiled with it.
  const ratio = contrast(shown(colour, below), shown(below.colour, below));
  const wanted = large ? 3 : 4.5;
  if (ratio + 0.005 < wanted) blame('low-contrast', frame, `contrast ${ratio.toFixed(2)}, at least ${wanted} is wanted`, box.map(Math.round));
}

/** Texts that their own box, or one close around them, cuts off. */
function cut(texts, blame) {
  for (const { frame, boxes } of texts) {
    const cutter = cutterOf(frame, boxes);
    if (cutter) blame('clipped-text', frame, cutter, boxes[0].map(Math.round));
  }
}

function cutterOf(frame, boxes) {
  for (let at = frame, level = 0; at && at.scope === frame.scope && level < 3; at = at.parent, level++) {
    const style = getComputedStyle(at.element);
    const hides = [style.overflowX, style.overflowY].map((value) => value === 'hidden' || value === 'clip');
    if (!hides[0] && !hides[1]) continue;
    // An ellipsis says that there is more; a line clamp does too.
    if (style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none') return '';
    const [x, y, w, h] = pageBox(at);
    if (w <= SLACK || h <= SLACK) return ''; // hidden from eyes on purpose
    for (const [bx, by, bw, bh] of boxes) {
      const right = hides[0] ? bx + bw - (x + w) : 0;
      const below = hides[1] ? by + bh - (y + h) : 0;
      // Only what is partly to be seen: the rest of a carousel is hidden whole.
      if (right > SLACK * 2 && right < bw * 0.75) return `${Math.round(right)} px of a line are cut off at its end`;
      if (below > bh * 0.4 && below < bh) return `${Math.round(below)} px of a line are cut off at its foot`;
    }
  }
  return '';
}

/** Names and sizes of what users act on. */
function controls(frames, blame) {
  for (const frame of frames) {
    const { element, name, role } = frame;
    const label = nameOf(element, name, frame.scope.root);
    if (!label && role !== 'canvas' && role !== 'video' && role !== 'audio' && role !== 'embed' && attr(frame, 'aria-hidden') !== 'true') {
      blame(FIELDS.has(role) ? 'unlabelled-field' : 'unnamed-control', frame, `a ${role} without a name`);
    }
    if (TAPPED.has(role)) small(frame, blame);
  }
}

function small(frame, blame) {
  const [x, y, w, h] = pageBox(frame);
  if (w >= TARGET && h >= TARGET) return;
  const style = getComputedStyle(frame.element);
  // Links in a sentence are as high as its lines, and a label beside a box is part of the target.
  if (style.display === 'inline' || (frame.element.labels && frame.element.labels.length)) return;
  const top = deepestAt(x + w / 2, y + h / 2);
  if (!top || !reaches(frame.element, top)) return;
  blame('small-target', frame, `${w} × ${h} px, ${TARGET} × ${TARGET} are wanted`);
}

/** Pictures without a text instead, or drawn in another shape than their own. */
function images(frames, blame) {
  for (const frame of frames) {
    const { element } = frame;
    const role = attr(frame, 'role');
    if (attr(frame, 'alt') === null && role !== 'presentation' && role !== 'none' && attr(frame, 'aria-label') === null) {
      blame('image-without-alternative', frame, 'an img without alt');
    }
    const [, , w, h] = pageBox(frame);
    if (!element.naturalWidth || w < TARGET || h < TARGET || getComputedStyle(element).objectFit !== 'fill') continue;
    const change = (w / h) / (element.naturalWidth / element.naturalHeight);
    if (Math.abs(change - 1) > DISTORTION) {
      blame('distorted-image', frame, `drawn ${w} × ${h}, its own size is ${element.naturalWidth} × ${element.naturalHeight}`);
    }
  }
}
