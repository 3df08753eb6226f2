/** Writes the live DOM as html: what a reader of the page's state needs, in one string. */
import { strip } from '../inject/strip.mjs';
import { hasAttribute, nodeType, textOf } from './natives.js';

const VOID = new Set(['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'param', 'source', 'track', 'wbr']);
const EMPTIED = new Set(['script', 'style', 'template', 'iframe', 'frame', 'object']);
const DROPPED_IN_HEAD = new Set(['script', 'style', 'link', 'base', 'noscript']);
const LONG = 2000;

const escapeText = (text) => (/[&<>]/.test(text) ? text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;') : text);
const escapeValue = (text) => (/[&"<]/.test(text) ? text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;') : text);
const shorten = (value) => (value.length > LONG ? `${value.slice(0, LONG)}…${value.length}` : value);

/**
 * A visitor of tree.walk that collects html. Shadow roots come as `<x-shadow>`, iframes as `<x-frame>` after the
 * iframe's tag; `data-x-hidden` marks what is not shown, `data-x-value` and `data-x-checked` what a field holds now.
 */
export function outlineWriter() {
  const parts = [];
  return {
    html: () => parts.join(''),
    enter(frame) {
      const { element, name, parent } = frame;
      if (parent && parent.name === 'head' && DROPPED_IN_HEAD.has(name)) {
        frame.dropped = true;
        return false;
      }
      parts.push(`<${name}`);
      if (frame.attrs !== null) writeAttributes(frame.attrs, parts);
      if (isHidden(frame)) parts.push(' data-x-hidden=""');
      if (name === 'input' || name === 'textarea' || name === 'select') writeLive(element, name, parts);
      parts.push('>');
      if (name === 'noscript') parts.push(textOf(element) || '');
      return !EMPTIED.has(name) || name === 'iframe' || name === 'frame' ? name !== 'noscript' && name !== 'textarea' : false;
    },
    leave({ name, dropped }) {
      if (dropped || VOID.has(name) || name === 'iframe' || name === 'frame') return;
      parts.push(`</${name}>`);
    },
    open({ root, host }) {
      parts.push(nodeType(root) === 9 ? `</${host.name}><x-frame>` : '<x-shadow>');
    },
    close({ root }) {
      parts.push(nodeType(root) === 9 ? '</x-frame>' : '</x-shadow>');
    },
    text(node, parent) {
      const text = node.data;
      if (!/\S/.test(text)) parts.push(text ? ' ' : '');
      else if (!parent || !EMPTIED.has(parent.name)) parts.push(escapeText(text));
    },
  };
}

/** True for the outermost element that is not shown; what lies inside follows from it. */
function isHidden(frame) {
  const { parent, name } = frame;
  if (name === 'head' || (parent && (parent.veiled || parent.name === 'head'))) {
    frame.veiled = true;
    return false;
  }
  if (!frame.shown) {
    frame.veiled = frame.gone;
    return !parent || parent.shown;
  }
  frame.veiled = !frame.clear;
  return frame.veiled;
}

function writeAttributes(attrs, parts) {
  for (const name in attrs) {
    const given = attrs[name];
    // A handler attribute as its author wrote it, without counters.
    const value = name[0] === 'o' && name[1] === 'n' ? strip(given) : given;
    if (name === 'nonce' || name === 'integrity' || name === 'srcdoc') continue; // the frame's content follows
    parts.push(value === '' ? ` ${name}=""` : ` ${name}="${escapeValue(shorten(value))}"`);
  }
}

/** Value and check mark where they differ from what the attributes say. */
function writeLive(element, name, parts) {
  const type = element.type;
  if (type === 'checkbox' || type === 'radio') {
    if (element.checked !== hasAttribute(element, 'checked')) parts.push(` data-x-checked="${element.checked}"`);
    return;
  }
  const value = name === 'select' ? chosenText(element) : element.value;
  const said = name === 'select' ? chosenByDefault(element) : element.defaultValue;
  if (value !== said) parts.push(` data-x-value="${escapeValue(shorten(String(value)))}"`);
}

function chosenText(select) {
  const option = select.options[select.selectedIndex];
  return option ? option.text : '';
}

function chosenByDefault(select) {
  let first = null;
  for (let i = 0; i < select.options.length; i++) {
    const option = select.options[i];
    if (option.defaultSelected) return option.text;
    first ??= option;
  }
  return first && !select.multiple && select.size < 2 ? first.text : '';
}
