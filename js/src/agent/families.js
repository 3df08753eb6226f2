/**
 * Families: signatures that are equal for the like controls of every list item, different for different buttons
 * of a toolbar, and the same again after a re-render with new ids and hashed classes.
 */
import { attribute, localName } from './natives.js';
import { attr } from './tree.js';

/** Classes that say what state an element is in, not what it is. */
const STATES = [
  'active', 'selected', 'current', 'open', 'opened', 'closed', 'show', 'shown', 'hide', 'hidden', 'visible', 'hover', 'hovered', 'focus', 'focused',
  'disabled', 'enabled', 'checked', 'done', 'completed', 'editing', 'expanded', 'collapsed', 'collapse', 'collapsing', 'pressed', 'loading',
  'loaded', 'dragging', 'drag', 'over', 'dirty', 'valid', 'invalid', 'touched', 'untouched', 'pristine', 'error', 'success', 'warning', 'new',
  'last', 'first', 'odd', 'even', 'highlight', 'highlighted', 'in', 'out', 'on', 'off', 'fade', 'entering', 'leaving',
].join('|');
const MODIFIERS = 'active|selected|open|checked|disabled|focus|focused|expanded|hover|enter|leave|enter-active|leave-active';
const STATE = new RegExp(`^(is-|has-|js-)?(${STATES})$|-(${MODIFIERS})$|^ng-`, 'i');
const ITEM_TAG = { li: 1, tr: 1, dt: 1, dd: 1, article: 1, option: 1 };
const ITEM_ROLE = /^(listitem|row|option|treeitem|article)$/;
const FIXED = /\b(nav|navbar|navigation|menu|menubar|tabs?|tablist|toolbar|tool-?box|tools|sidebar|header|footer|breadcrumbs?|filters?|pagination|pager|controls|actions)\b/i;
const FIXED_TAG = { nav: 1, header: 1, footer: 1, aside: 1, menu: 1 };
const FIXED_ROLE = /^(navigation|menu|menubar|tablist|toolbar|banner|contentinfo|radiogroup|group)$/;
const CONTROL_TAG = { button: 1, a: 1, input: 1, select: 1, textarea: 1 };
const CONTROL_ROLE = /^(button|tab|menuitem|link|radio)$/;
/** Siblings that are looked at to tell whether an element is one of many. */
const MOST_SIBLINGS = 12;
const LIKE_SIBLINGS = 2;

/** True for an id, class or attribute value that a program made up: hashes, counters, uuids. */
export function looksRandom(value) {
  if (value.length > 60) return true;
  if (/\d{4,}|^:|:r[0-9a-z]*:|«|^(css|sc|jss|jsx|emotion|svelte|radix|headlessui|mui|ember|yui|ext|gen|astro)-?[-_\w]*\d/i.test(value)) return true;
  if (/(^|[-_])(?=[a-z0-9]*\d)(?=[a-z0-9]*[a-z])[a-z0-9]{5,}$/i.test(value) && /\d[a-z]|\d\d.*[a-z].*\d/i.test(value)) return true;
  return value.length <= 10 && /[a-z][A-Z].*[A-Z][a-z]?[A-Z0-9]|[A-Z]{2}[a-z]+[A-Z]{2}/.test(value) && !/[-_]/.test(value);
}

const stableClasses = new Map();

/** A class without its hash: "Button_root__x1Y2z" is "Button_root"; "" where nothing stable is left. */
function stableClass(name) {
  let stable = stableClasses.get(name);
  if (stable === undefined) {
    if (stableClasses.size > 5000) stableClasses.clear();
    stableClasses.set(name, (stable = readClass(name)));
  }
  return stable;
}

function readClass(name) {
  if (STATE.test(name)) return '';
  const module = /^_?([A-Za-z][\w-]*?)_{1,2}[A-Za-z0-9-]{5,}(?:_\d+)?$/.exec(name);
  const bare = module ? module[1] : name;
  if (looksRandom(bare) || bare.length > 40) return '';
  return bare.replace(/\d+/g, '#');
}

/** Up to three stable classes, sorted. */
function classesOf(value) {
  if (!value) return '';
  const kept = [];
  for (const name of value.trim().split(/\s+/)) {
    const stable = stableClass(name);
    if (stable && !kept.includes(stable)) kept.push(stable);
    if (kept.length === 3) break;
  }
  return kept.length ? `.${kept.sort().join('.')}` : '';
}

const stableId = (id) => (id && !/\d/.test(id) && !looksRandom(id) ? `#${id}` : '');

/** Digits masked, white space folded, at most 30 characters. */
function mask(text) {
  return text.replace(/\d+/g, '#').replace(/\s+/g, ' ').trim().slice(0, 30);
}

const shapeFrom = (name, id, classes, role) => name + stableId(id) + classesOf(classes) + (role ? `@${role}` : '');

/** Tag, stable id and classes of a frame's element; worked out once. */
function shape(frame) {
  frame.shape ??= shapeFrom(frame.name, attr(frame, 'id'), attr(frame, 'class'), attr(frame, 'role'));
  return frame.shape;
}

const siblingShape = (element) => shapeFrom(localName(element), attribute(element, 'id'), attribute(element, 'class'), attribute(element, 'role'));

/** True for an element of which there are many: a list item by its tag or role, or one of three like siblings. */
function isItem(frame) {
  frame.item ??= !!ITEM_TAG[frame.name] || ITEM_ROLE.test(attr(frame, 'role') || '') || hasLikeSiblings(frame);
  return frame.item;
}

function hasLikeSiblings(frame) {
  const own = shape(frame);
  let like = 0;
  for (const way of ['nextElementSibling', 'previousElementSibling']) {
    let sibling = frame.element[way];
    for (let looked = 0; sibling && looked < MOST_SIBLINGS; sibling = sibling[way], looked++) {
      if (siblingShape(sibling) === own && ++like === LIKE_SIBLINGS) return true;
    }
  }
  return false;
}

const isTop = (frame) => frame.name === 'body' || frame.name === 'html';

/** Shapes of the ancestors, up to four or the first with an id. */
function pathOf(frame) {
  const parent = frame.parent;
  if (!parent || isTop(parent)) return '';
  if (parent.path !== undefined) return parent.path;
  let text = '';
  let at = parent;
  for (let up = 0; at && !isTop(at) && up < 4; up++, at = at.parent) {
    text = `${shape(at)}>${text}`;
    if (stableId(attr(at, 'id'))) break;
  }
  parent.path = text;
  return text;
}

/** Where the control is among siblings of its tag, inside a list item. */
function place(frame) {
  let nth = 0;
  let sibling = frame.element.previousElementSibling;
  for (let looked = 0; sibling && looked < MOST_SIBLINGS; looked++, sibling = sibling.previousElementSibling) {
    if (localName(sibling) === frame.name) nth++;
  }
  return nth ? `:${nth}` : '';
}

const words = (frame) => `${attr(frame, 'class') || ''} ${attr(frame, 'id') || ''}`.replace(/[_-]/g, ' ');

/** A part of the page whose controls keep their labels: menus, toolbars and the like. */
function isFixed(frame) {
  frame.fixed ??= !!FIXED_TAG[frame.name] || FIXED_ROLE.test(attr(frame, 'role') || '') || (frame.attrs !== null && FIXED.test(words(frame)));
  return frame.fixed;
}

const isControl = (frame) => !!CONTROL_TAG[frame.name] || CONTROL_ROLE.test(attr(frame, 'role') || '');

/** The list item that a control is or belongs to; null in a menu, a toolbar, or outside any list. */
function itemOf(frame) {
  let item = null;
  let at = frame;
  for (let up = 0; at && !isTop(at) && up < 8; up++, at = at.parent) {
    if (at !== frame && isFixed(at)) return null;
    if (!item && up < 6 && (at !== frame || !isControl(frame)) && isItem(at)) item = at;
  }
  return item;
}

/** The family of a control. `role` is its role, `label()` gives its name, `editable` says that its content is the user's. */
export function familyOf(frame, { role, label, editable }) {
  let text = pathOf(frame) + shape(frame);
  if (frame.name === 'input') text += `[${frame.element.type}]`;
  const key = attr(frame, 'name') || attr(frame, 'data-testid') || attr(frame, 'data-action') || '';
  if (key && !looksRandom(key)) text += `[${mask(key)}]`;
  if (role && role !== frame.name) text += `(${role})`;
  const item = itemOf(frame);
  if (item) return item === frame ? text : text + place(frame);
  if (!editable) return `${text}|${mask(label())}`;
  return `${text}|${mask(attr(frame, 'aria-label') || attr(frame, 'placeholder') || '')}`;
}
