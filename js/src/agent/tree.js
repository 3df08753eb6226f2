/** Walks the whole page in document order: light DOM, shadow roots (closed ones too) and same-origin iframes. */
import {
  Document, Map, Object, attributesOf, checkVisibility, doc, firstChild, getComputedStyle, getter, localName, nextSibling, nodeType, openShadow, weakGet,
} from './natives.js';
import { isDevTool } from './devtools.js';
import { shared } from './realm.js';

const rootOf = getter(Document.prototype, 'documentElement');
const NONE = [];
const CLEAR = { visibilityProperty: true, opacityProperty: true };
const SHOWN = { visibilityProperty: true };

/** The shadow root of an element, or null. */
export function shadowOf(element) {
  return openShadow(element) || weakGet(shared.shadowRoots, element) || null;
}

/** The document inside an iframe where it may be looked at, or null. */
export function frameDocument(element) {
  const name = localName(element);
  if (name !== 'iframe' && name !== 'frame') return null;
  try {
    return element.contentDocument || null;
  } catch {
    return null; // cross-origin
  }
}

/**
 * A tree of its own: document or shadow root. `host` is the frame of the element that holds it, null for the page.
 * `dx`, `dy`: its client coordinates within the viewport of the page.
 */
function makeScope(root, host, dx, dy) {
  return { root, host, dx, dy, counts: new Map(), kind: !host ? 'page' : nodeType(root) === 9 ? 'frame' : 'shadow' };
}

/**
 * Visits every element and text. `visitor.enter(frame)` may return false to leave its inside out;
 * `visitor.open(scope)` and `visitor.close(scope)` wrap shadow roots and iframes.
 * A frame is `{element, name, attrs, parent, scope, nth,
 * clear, shown, gone, handlers, delegated}`: clear is shown and not transparent, gone is not shown with all inside it; the
 * last two are for the visitor to fill. No recursion: documents may be 10,000 deep.
 */
export function walk(visitor) {
  const page = makeScope(doc, null, 0, 0);
  const stack = [level(rootOf(doc) && firstChild(doc), null, page, null, null)];
  while (stack.length) {
    const top = stack[stack.length - 1];
    const node = top.node;
    if (!node) {
      stack.pop();
      if (top.inside) visitor.close(top.inside);
      else if (top.of) visitor.leave(top.of);
      continue;
    }
    top.node = nextSibling(node);
    const type = nodeType(node);
    if (type === 3 || type === 4) {
      visitor.text(node, top.parent);
    } else if (type === 1) {
      enter(node, top, stack, visitor);
    }
  }
  return page;
}

/** One level of the walk: the next node, the frame around it, and what ends with it: a frame or a scope. */
function level(node, parent, scope, of, inside) {
  return { node, parent, scope, named: null, of, inside };
}

/** Which of the siblings of its name an element is, from 1: scripts that come and go beside it change nothing. */
function nthOfName(top, name) {
  top.named ??= new Map();
  const nth = (top.named.get(name) || 0) + 1;
  top.named.set(name, nth);
  return nth;
}

function enter(element, top, stack, visitor) {
  const parent = top.parent;
  const scope = top.scope;
  const name = localName(element);
  const attrs = readAttributes(element);
  const nth = nthOfName(top, name);
  if (isDevTool(element, name, attrs)) return;
  const frame = {
    element, name, attrs, parent, scope, nth, ...sight(element, parent),
    handlers: NONE, delegated: NONE,
  };
  if (visitor.enter(frame) === false) {
    visitor.leave(frame);
    return;
  }
  stack.push(level(firstChild(element), frame, scope, frame, null));
  const inner = shadowOf(element) || frameDocument(element);
  if (!inner) return;
  const at = nodeType(inner) === 9 ? originOf(element, scope) : [scope.dx, scope.dy];
  const inside = makeScope(inner, frame, at[0], at[1]);
  visitor.open(inside);
  stack.push(level(firstChild(inner), frame, inside, null, inside));
}

/** What can be seen of an element: `{clear, shown, gone}`. */
function sight(element, parent) {
  if (parent !== null && parent.gone) return { clear: false, shown: false, gone: true };
  const clear = checkVisibility(element, CLEAR);
  const shown = clear || checkVisibility(element, SHOWN);
  if (shown || checkVisibility(element)) return { clear, shown, gone: false };
  // It has no box of its own, yet what is inside it has: frameworks wrap whole apps so.
  const style = getComputedStyle(element);
  if (style.display !== 'contents') return { clear: false, shown: false, gone: true };
  const visible = style.visibility === 'visible';
  return { clear: visible && (parent === null || parent.clear), shown: visible, gone: false };
}

/** Attributes by name, null for an element without any: read once, looked at often. */
export function readAttributes(element) {
  const list = attributesOf(element);
  const count = list.length;
  if (count === 0) return null;
  const attrs = Object.create(null);
  for (let i = 0; i < count; i++) {
    const item = list[i];
    attrs[item.name] = item.value;
  }
  return attrs;
}

/** An attribute of a frame's element, or null. */
export function attr(frame, name) {
  const value = frame.attrs === null ? undefined : frame.attrs[name];
  return value === undefined ? null : value;
}

/** Where the inside of an iframe begins. */
function originOf(element, scope) {
  const box = element.getBoundingClientRect();
  return [scope.dx + box.left + element.clientLeft, scope.dy + box.top + element.clientTop];
}
