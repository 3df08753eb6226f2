/** Paths that find an element again in the same state; ` >>> ` crosses into shadow roots and iframes. */
import { doc } from './natives.js';
import { looksRandom } from './families.js';
import { attr, frameDocument, shadowOf } from './tree.js';

const BREAK = ' >>> ';
/** Attributes that may name an element, best first. */
const NAMING = ['data-testid', 'data-test', 'data-cy', 'name', 'aria-label'];

const quote = (value) => `"${value.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\a ')}"`;

/** Counts the naming attributes of an element within its scope, so that uniqueness needs no query. */
export function countNames(frame) {
  const { attrs, name, scope } = frame;
  if (attrs === null) return;
  if (attrs.id) count(scope.counts, `#${attrs.id}`);
  for (let i = 0; i < NAMING.length; i++) {
    const value = attrs[NAMING[i]];
    if (value) count(scope.counts, `${name}[${NAMING[i]}=${value}]`);
  }
}

function count(counts, key) {
  counts.set(key, (counts.get(key) || 0) + 1);
}

/** A selector that names the element alone in its scope, or "". */
function ownName(frame) {
  const { name, scope } = frame;
  const id = attr(frame, 'id');
  if (id && !looksRandom(id) && scope.counts.get(`#${id}`) === 1) return `#${CSS.escape(id)}`;
  for (let i = 0; i < NAMING.length; i++) {
    const value = attr(frame, NAMING[i]);
    if (!value || looksRandom(value)) continue;
    if (scope.counts.get(`${name}[${NAMING[i]}=${value}]`) === 1) return `${name}[${NAMING[i]}=${quote(value)}]`;
  }
  return '';
}

/** The locator of a frame of the walk; call it after the walk, when the scope's counts are complete. */
export function locatorOf(frame) {
  const steps = [];
  let at = frame;
  while (at && at.scope === frame.scope) {
    const named = ownName(at);
    if (named) {
      steps.push(named);
      break;
    }
    const inScope = at.parent && at.parent.scope === frame.scope;
    steps.push(inScope || at.scope.kind !== 'page' ? `${CSS.escape(at.name)}:nth-of-type(${at.nth})` : CSS.escape(at.name));
    at = at.parent;
  }
  const path = steps.reverse().join(' > ');
  return frame.scope.host ? locatorOf(frame.scope.host) + BREAK + path : path;
}

/** The element that a locator names now, or null. */
export function find(locator) {
  let root = doc;
  let element = null;
  for (const path of locator.split(BREAK)) {
    if (element) root = shadowOf(element) || frameDocument(element);
    if (!root) return null;
    element = select(root, path);
    if (!element) return null;
  }
  return element;
}

/** First match of a path; a path from the top of a shadow root or iframe starts at a child of the root. */
function select(root, path) {
  const matches = root.querySelectorAll(path);
  if (matches.length < 2 || path.startsWith('#') || path.includes('[')) return matches[0] || null;
  for (let i = 0; i < matches.length; i++) {
    let top = matches[i];
    for (let steps = path.split(' > ').length; steps > 1; steps--) top = top.parentNode;
    if (top.parentNode === root) return matches[i];
  }
  return matches[0];
}
