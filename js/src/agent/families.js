/**
 * Families: signatures that are equal for the like controls of every list item, different for different buttons
 * of a toolbar, and the same again after a re-render with new ids and hashed classes.
 */
import { attribute, localName, parentNode } from './natives.js';

const STATE = /^(is-|has-|js-)?(active|selected|current|open|opened|closed|show|shown|hide|hidden|visible|hover|hovered|focus|focused|disabled|enabled|checked|done|completed|editing|expanded|collapsed|collapse|collapsing|pressed|loading|loaded|dragging|drag|over|dirty|valid|invalid|touched|untouched|pristine|error|success|warning|new|last|first|odd|even|highlight|highlighted|in|out|on|off|fade|entering|leaving)$|--(active|selected|open|checked|disabled|focused|expanded)$|-(active|selected|open|checked|disabled|focused|enter|leave|enter-active|leave-active|focus|hover)$/i;
const ITEM_TAG = { li: 1, tr: 1, dt: 1, dd: 1, article: 1, option: 1 };
const ITEM_ROLE = /^(listitem|row|option|treeitem|article)$/;
const FIXED = /\b(nav|navbar|navigation|menu|menubar|tabs?|tablist|toolbar|tool-?box|tools|sidebar|header|footer|breadcrumbs?|filters?|pagination|pager|controls|actions)\b/i;
const FIXED_TAG = { nav: 1, header: 1, footer: 1, aside: 1, menu: 1 };
const FIXED_ROLE = /^(navigation|menu|menubar|tablist|toolbar|banner|contentinfo|radiogroup|group)$/;

/** True for an id, class or attribute value that a program made up: hashes, counters, uuids. */
export function looksRandom(value) {
  if (value.length > 60) return true;
  if (/\d{4,}|^:|:r[0-9a-z]*:|«|^(css|sc|jss|jsx|emotion|svelte|radix|headlessui|mui|ember|yui|ext|gen|astro)-?[-_\w]*\d/i.test(value)) return true;
  if (/(^|[-_])(?=[a-z0-9]*\d)(?=[a-z0-9]*[a-z])[a-z0-9]{5,}$/i.test(value) && /\d[a-z]|\d\d.*[a-z].*\d/i.test(value)) return true;
  return /[a-z][A-Z].*[A-Z][a-z]?[A-Z0-9]|[A-Z]{2}[a-z]+[A-Z]{2}/.test(value) && !/[-_]/.test(value) && value.length <= 10;
}

/** A class without its hash: "Button_root__x1Y2z" is "Button_root"; "" where nothing stable is left. */
function stableClass(name) {
  if (STATE.test(name)) return '';
  const module = /^_?([A-Za-z][\w-]*?)_{1,2}[A-Za-z0-9-]{5,}(?:_\d+)?$/.exec(name);
  const bare = module ? module[1] : name;
  if (looksRandom(bare) || bare.length > 40) return '';
  return bare.replace(/\d+/g, '#');
}

/** Up to three stable classes of an element, sorted. */
function classesOf(element) {
  const value = attribute(element, 'class');
  if (!value) return '';
  const kept = [];
  for (const name of value.trim().split(/\s+/)) {
    const stable = stableClass(name);
    if (stable && !kept.includes(stable)) kept.push(stable);
    if (kept.length === 3) break;
  }
  return kept.length ? `.${kept.sort().join('.')}` : '';
}

function stableId(element) {
  const id = attribute(element, 'id');
  return id && !/\d/.test(id) && !looksRandom(id) ? `#${id}` : '';
}

/** Digits masked, white space folded, at most 30 characters. */
export function mask(text) {
  return text.replace(/\d+/g, '#').replace(/\s+/g, ' ').trim().slice(0, 30);
}

/** Makes a function that names families; it remembers what it found out about elements within one pass. */
export function familyNamer() {
  const shapes = new Map();
  const repeated = new Map();
  const paths = new Map();

  /** Tag, stable id and classes of one element. */
  function shape(element) {
    let text = shapes.get(element);
    if (text === undefined) {
      const role = attribute(element, 'role');
      text = localName(element) + stableId(element) + classesOf(element) + (role ? `@${role}` : '');
      shapes.set(element, text);
    }
    return text;
  }

  /** True for an element of which there are many: a list item by its tag, or one of three like siblings. */
  function isItem(element) {
    let known = repeated.get(element);
    if (known === undefined) {
      const role = attribute(element, 'role');
      known = !!ITEM_TAG[localName(element)] || (role !== null && ITEM_ROLE.test(role)) || hasLikeSiblings(element);
      repeated.set(element, known);
    }
    return known;
  }

  function hasLikeSiblings(element) {
    const own = shape(element);
    let like = 0;
    const parent = parentNode(element);
    let child = parent && parent.firstElementChild;
    for (let looked = 0; child && looked < 12; child = child.nextElementSibling, looked++) {
      if (child !== element && shape(child) === own) like++;
    }
    return like >= 2;
  }

  /** Shapes of the ancestors, up to four or the first with an id. */
  function path(element) {
    const known = paths.get(element);
    if (known !== undefined) return known;
    let text = '';
    let at = parentNode(element);
    for (let up = 0; at && at.nodeType === 1 && up < 4; up++, at = parentNode(at)) {
      const name = localName(at);
      if (name === 'body' || name === 'html') break;
      text = `${shape(at)}>${text}`;
      if (stableId(at)) break;
    }
    paths.set(element, text);
    return text;
  }

  /** Where the control is inside a list item: its place among siblings of its tag. */
  function place(element) {
    const tag = localName(element);
    let nth = 0;
    for (let child = parentNode(element).firstElementChild; child && child !== element; child = child.nextElementSibling) {
      if (localName(child) === tag) nth++;
    }
    return nth ? `:${nth}` : '';
  }

  /** Whether the control belongs to a list's item, and not to a menu, toolbar or the like. */
  function inItem(element) {
    let item = false;
    let at = element;
    for (let up = 0; at && at.nodeType === 1 && up < 8; up++, at = parentNode(at)) {
      const name = localName(at);
      if (name === 'body' || name === 'html') break;
      if (FIXED_TAG[name] || FIXED_ROLE.test(attribute(at, 'role') || '') || (at !== element && FIXED.test(words(at)))) return false;
      if (!item && up < 6 && (at !== element || !isControl(element)) && isItem(at)) item = true;
    }
    return item;
  }

  const words = (element) => `${attribute(element, 'class') || ''} ${attribute(element, 'id') || ''}`.replace(/[_-]/g, ' ');

  /** The family of one control. */
  return function family(element, { role, field, name, editable }) {
    const tag = localName(element);
    let text = `${path(element)}${shape(element)}`;
    if (field && field.type) text += `[${field.type}]`;
    const key = attribute(element, 'name') || attribute(element, 'data-testid') || attribute(element, 'data-action') || '';
    if (key && !looksRandom(key)) text += `[${mask(key)}]`;
    if (role && role !== tag) text += `(${role})`;
    if (inItem(element)) return text + place(element);
    if (editable) return `${text}|${mask(field && (field.label || field.placeholder) || '')}`;
    return `${text}|${mask(name)}`;
  };
}

function isControl(element) {
  const tag = localName(element);
  return tag === 'button' || tag === 'a' || tag === 'input' || tag === 'select' || /^(button|tab|menuitem|link|radio)$/.test(attribute(element, 'role') || '');
}

