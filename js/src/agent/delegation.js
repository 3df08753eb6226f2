/** Guesses which plain elements a delegating handler is meant for. */
import { WeakMap, functionText } from './natives.js';

const CLICKS = new Set(['click', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'dblclick', 'contextmenu', 'touchstart']);
const LOOKS_AT_TARGET = /\b(target|srcElement|composedPath|path)\b/;
const texts = new WeakMap();

/** True for a handler that asks which element the event began at. */
function looksAtTarget(fn) {
  if (typeof fn !== 'function') return false;
  let known = texts.get(fn);
  if (known === undefined) texts.set(fn, (known = LOOKS_AT_TARGET.test(functionText(fn))));
  return known;
}

const isDelegating = (pair) => CLICKS.has(pair[0]) && looksAtTarget(pair[1]);

/**
 * True for a leaf below an element whose click handler looks at the event's target, and for an element with a
 * data attribute where such a handler belongs to the page.
 */
export function delegates(frame, top) {
  const { element, parent } = frame;
  if (!frame.shown || !parent) return false;
  const leaf = element.firstElementChild === null;
  const marked = hasDataAttribute(frame.attrs);
  if (!leaf && !marked) return false;
  for (let at = parent; at; at = at.parent) {
    if (at.name === 'button' || at.name === 'a' || at.name === 'label' || at.name === 'svg') return false;
    if (at.name === 'body' || at.name === 'html') break;
    if (at.handlers && at.handlers.some(isDelegating)) return true;
  }
  return marked && (top.handlers.some(isDelegating) || bodyDelegates(frame));
}

function bodyDelegates(frame) {
  for (let at = frame.parent; at; at = at.parent) {
    if (at.name === 'body' && at.handlers && at.handlers.some(isDelegating)) return true;
  }
  return false;
}

function hasDataAttribute(attrs) {
  for (const name in attrs) if (name.startsWith('data-') && !/^data-(v-|astro-|reactid|svelte)/.test(name)) return true;
  return false;
}
