/** Accessible names (accname 1.2, the parts that matter to a tester). */
import { attribute, firstChild, localName, nextSibling, nodeType, parentNode } from './natives.js';

const LIMIT = 80;
const SILENT = new Set(['script', 'style', 'noscript', 'template', 'select', 'textarea', 'datalist']);

/** Text with white space folded, at most `limit` characters. */
export function tidy(text, limit = LIMIT) {
  return text.replace(/\s+/g, ' ').trim().slice(0, limit);
}

/** Text inside an element, alternatives of images included; stops once there is enough of it. */
export function innerText(element, limit = LIMIT) {
  let text = '';
  let node = firstChild(element);
  while (node && text.length < limit * 2) {
    const type = nodeType(node);
    let inner = null;
    if (type === 3) {
      text += node.data;
    } else if (type === 1) {
      const name = localName(node);
      if (name === 'img') text += ` ${attribute(node, 'alt') || ''}`;
      else if (attribute(node, 'aria-hidden') !== 'true' && !SILENT.has(name)) inner = firstChild(node);
      if (inner) text += ' ';
    }
    node = inner || following(node, element);
  }
  return tidy(text, limit);
}

/** The next node after all of `node`, still inside `top`. */
function following(node, top) {
  for (let at = node; at && at !== top; at = parentNode(at)) {
    const next = nextSibling(at);
    if (next) return next;
  }
  return null;
}

function labelledBy(element, root) {
  const ids = attribute(element, 'aria-labelledby');
  if (!ids || !root.getElementById) return '';
  return tidy(ids.split(/\s+/).map((id) => {
    const label = id && root.getElementById(id);
    return label ? attribute(label, 'aria-label') || innerText(label) : '';
  }).join(' '));
}

/** Text of the labels of a field. */
export function labelOf(element) {
  const labels = element.labels;
  if (!labels || !labels.length) return '';
  let text = '';
  for (let i = 0; i < labels.length; i++) text += ` ${innerText(labels[i])}`;
  return tidy(text);
}

function titleChild(element) {
  for (let child = firstChild(element); child; child = nextSibling(child)) {
    if (nodeType(child) === 1 && localName(child) === 'title') return tidy(child.textContent || '');
  }
  return '';
}

/** The accessible name of an element, at most 80 characters. */
export function nameOf(element, name, root) {
  const given = labelledBy(element, root) || tidy(attribute(element, 'aria-label') || '');
  if (given) return given;
  const field = name === 'input' || name === 'select' || name === 'textarea';
  if (field) return fieldName(element, name);
  if (name === 'img' || name === 'area') return tidy(attribute(element, 'alt') || attribute(element, 'title') || '');
  if (element.ownerSVGElement !== undefined) return titleChild(element) || innerText(element);
  return innerText(element) || tidy(attribute(element, 'title') || attribute(element, 'data-placeholder') || '') || imageName(element);
}

function fieldName(element, name) {
  const type = name === 'input' ? element.type : name;
  if (type === 'submit' || type === 'button' || type === 'reset') return tidy(element.value || attribute(element, 'title') || type);
  if (type === 'image') return tidy(attribute(element, 'alt') || attribute(element, 'title') || '');
  return labelOf(element)
    || tidy(attribute(element, 'title') || attribute(element, 'placeholder') || attribute(element, 'name') || '');
}

/** A button with nothing but an icon: the icon's own title. */
function imageName(element) {
  const titled = element.querySelector('svg > title, [aria-label], [title]');
  if (!titled) return '';
  return tidy(attribute(titled, 'aria-label') || attribute(titled, 'title') || titled.textContent || '');
}
