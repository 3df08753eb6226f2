/** Finds what fills the view and keeps everything else out of reach: modal dialogs, and layers that act like them. */
import { boxOf, doc, matches } from './natives.js';
import { deepestAt, parentOf } from './hits.js';

const INSET = 4;

/**
 * The layers that may be acted on, [] where nothing is in the way: the modal dialog on top, or the fixed layers that
 * lie over all corners of the viewport (a backdrop) and over its middle (the box in front of it).
 */
export function blockers(viewport) {
  const modal = topModal();
  if (modal) return [modal];
  const [width, height] = viewport;
  const corners = [[INSET, INSET], [width - INSET, INSET], [INSET, height - INSET], [width - INSET, height - INSET]];
  const layers = corners.map(([x, y]) => fixedAt(x, y));
  if (!layers.every(Boolean) || !layers.some((layer) => fills(layer, viewport))) return [];
  // A fixed background has the page in front of it.
  const front = fixedAt(width / 2, height / 2);
  return front ? [...new Set([...layers, front])] : [];
}

/** Whether an element is in another, through shadow roots and frames too. */
export function isInside(element, ancestor) {
  for (let at = element; at; at = parentOf(at)) if (at === ancestor) return true;
  return false;
}

function topModal() {
  const open = doc.querySelectorAll('dialog[open]');
  for (let i = open.length - 1; i >= 0; i--) if (matches(open[i], ':modal')) return open[i];
  return null;
}

/** The outermost fixed element at a point: the layer that is on top there. */
function fixedAt(x, y) {
  let found = null;
  for (let at = deepestAt(x, y); at; at = parentOf(at)) {
    if (at.nodeType === 1 && getComputedStyle(at).position === 'fixed') found = at;
  }
  return found;
}

function fills(element, [width, height]) {
  const box = boxOf(element);
  return box.width >= width * 0.95 && box.height >= height * 0.95;
}
