/** Finds out whether a click at a point reaches an element, and which point does. */
import { doc } from './natives.js';
import { frameDocument, shadowOf } from './tree.js';

/** Points to try within a box, as fractions: the middle first. */
const TRIES = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.2], [0.5, 0.8], [0.1, 0.1], [0.9, 0.9], [0.9, 0.1], [0.1, 0.9], [0.02, 0.5]];

/** The innermost element at a point of the page, through shadow roots and iframes. */
export function deepestAt(x, y) {
  let root = doc;
  let found = null;
  let [px, py] = [x, y];
  for (let depth = 0; depth < 20; depth++) {
    const element = root.elementFromPoint(px, py);
    if (!element || element === found) break;
    found = element;
    const inner = shadowOf(element);
    const frame = inner ? null : frameDocument(element);
    if (frame) {
      const box = element.getBoundingClientRect();
      px -= box.left + element.clientLeft;
      py -= box.top + element.clientTop;
    }
    root = inner || frame;
    if (!root) break;
  }
  return found;
}

/** True where an event at `hit` reaches `element`: inside it, or inside its label. */
export function reaches(element, hit) {
  for (let at = hit; at; at = parentOf(at)) {
    if (at === element) return true;
    if (at.localName === 'label' && at.control === element) return true;
  }
  return false;
}

/** The node around a node, out of shadow roots and frames too; null at the top. */
export function parentOf(node) {
  return node.parentNode || node.host || hostOf(node);
}

/** The iframe element around a document, or the host of a closed shadow root. */
function hostOf(node) {
  if (node.nodeType !== 9) return null;
  try {
    return node.defaultView && node.defaultView.frameElement;
  } catch {
    return null; // cross-origin parent
  }
}

/** `[x, y]` inside the box where a click reaches the element, in CSS pixels of the page's viewport; or null. */
export function hitPoint(element, box, viewport) {
  const [bx, by, bw, bh] = clip(box, viewport);
  if (bw <= 0 || bh <= 0) return null;
  for (const [fx, fy] of TRIES) {
    const x = bx + bw * fx;
    const y = by + bh * fy;
    if (reaches(element, deepestAt(x, y))) return [x, y];
  }
  return null;
}

/** The part of a box that the viewport shows. */
export function clip([x, y, w, h], [vw, vh]) {
  const left = Math.max(0, x);
  const top = Math.max(0, y);
  return [left, top, Math.min(vw, x + w) - left, Math.min(vh, y + h) - top];
}
