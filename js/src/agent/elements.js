/** Lists what can be acted on: roles, listeners, hands, things that hover reveals, scrolling boxes. */
import { boxOf, matches, win } from './natives.js';
import { locate } from './counters.js';
import { handlersOf } from './frameworks.js';
import { fieldOf, formNamer } from './fields.js';
import { familyOf } from './families.js';
import { clip, deepestAt, hitPoint, reaches } from './hits.js';
import { blockers, isInside } from './layers.js';
import { countNames, locatorOf } from './locators.js';
import { nameOf } from './names.js';
import { pageHandlers } from './pagehandlers.js';
import { ACTIVE, roleOf } from './roles.js';
import { share } from './share.js';
import { canBeGrabbed, scrolls, showsHand, styledElements } from './stylesheets.js';
import { delegates } from './delegation.js';
import { attr } from './tree.js';

/** Events that a gesture on an element can cause. */
const CAUSED = new Set([
  'click', 'dblclick', 'auxclick', 'contextmenu', 'mousedown', 'mouseup', 'mousemove', 'mouseover', 'mouseout', 'mouseenter', 'mouseleave',
  'pointerdown', 'pointerup', 'pointermove', 'pointerover', 'pointerenter', 'pointerleave', 'touchstart', 'touchmove', 'touchend',
  'keydown', 'keyup', 'keypress', 'input', 'beforeinput', 'change', 'submit', 'reset', 'invalid', 'focus', 'focusin', 'blur', 'focusout',
  'wheel', 'scroll', 'select', 'toggle', 'dragstart', 'drag', 'dragend', 'dragenter', 'dragover', 'dragleave', 'drop', 'copy', 'cut', 'paste',
]);
const NEVER = new Set([
  'html', 'body', 'head', 'script', 'style', 'template', 'noscript', 'meta', 'link', 'title', 'option', 'optgroup', 'base', 'source', 'br',
  'slot', 'datalist',
]);
const DROPS = new Set(['drop', 'dragover', 'dragenter']);
const MAX_HANDLERS = 16;

/** A visitor of tree.walk that collects candidates; `result(limit)` describes them. */
export function elementCollector() {
  const candidates = [];
  const styles = new Map();
  const top = pageHandlers();
  const stylesOf = (scope) => {
    let found = styles.get(scope);
    if (!found) styles.set(scope, (found = styledElements(scope.root)));
    return found;
  };
  return {
    open() {},
    close() {},
    text() {},
    leave() {},
    enter(frame) {
      countNames(frame);
      if (frame.name === 'head' || (frame.parent && frame.parent.name === 'head')) return;
      const up = frame.parent || top;
      const waiting = [];
      const own = handlersOf(frame.element, frame.attrs, waiting);
      if (own.length) frame.handlers = own.filter((pair) => CAUSED.has(pair[0]));
      if (up.delegated.length) frame.handlers = frame.handlers.concat(matchDelegated(frame.element, up.delegated));
      frame.delegated = waiting.length ? waiting.concat(up.delegated) : up.delegated;
      if (!NEVER.has(frame.name) && consider(frame, stylesOf(frame.scope), top)) {
        candidates.push(frame);
        for (let at = frame.parent; at && !at.holds; at = at.parent) at.holds = true;
      }
    },
    result: (limit) => describe(candidates, top, limit),
  };
}

/** Delegated handlers of ancestors whose selector the element matches. */
function matchDelegated(element, inherited) {
  const found = [];
  for (let i = 0; i < inherited.length; i++) {
    const [type, fn, selector] = inherited[i];
    try {
      if (matches(element, selector)) found.push([type, fn]);
    } catch {
      // a selector that only the framework understands
    }
  }
  return found;
}

/** Decides whether an element is a candidate, and notes on its frame why. */
function consider(frame, styled, top) {
  const { element, name } = frame;
  frame.role = roleOf(frame);
  if (name === 'input' && element.type === 'hidden') return false;
  frame.pointer = styled.pointer.has(element) && frame.shown && showsHand(element);
  frame.grab = frame.shown && (styled.grabHovered.has(element) || (styled.grab.has(element) && canBeGrabbed(element)));
  frame.hover = styled.hover.has(element);
  frame.scrollable = frame.shown && styled.scroll.has(element) && scrolls(element);
  if (ACTIVE.has(frame.role) || frame.handlers.length || frame.pointer || frame.grab || frame.hover || frame.scrollable) return true;
  if (name === 'label') return !!element.control;
  if (attr(frame, 'draggable') === 'true') return true;
  if (attr(frame, 'tabindex') !== null) return attr(frame, 'tabindex') !== '-1';
  return delegates(frame, top);
}

/** Describes the candidates that are shown, at most `limit`, each family with its fair share. */
function describe(candidates, top, limit) {
  const viewport = [win.innerWidth, win.innerHeight];
  const form = formNamer();
  const above = blockers(viewport);
  const shown = candidates.filter(placeOf);
  for (const frame of shown) {
    const label = () => labelOf(frame);
    frame.family = familyOf(frame, { role: frame.role, label, editable: isEditable(frame) });
  }
  number(shown);
  const chosen = share(shown, limit, viewport);
  const refs = new Map();
  const elements = chosen.map((frame, i) => {
    refs.set(`e${i}`, frame.element);
    const out = record(frame, `e${i}`, form(frame.element), top, viewport);
    // Behind what fills the view nothing can be reached, not even by scrolling.
    if (out.offscreen && above.length && !above.some((layer) => isInside(frame.element, layer))) out.covered = true;
    return out;
  });
  return { elements, refs, hidden: candidates.length - shown.length, found: shown.length };
}

/** The accessible name of a candidate; worked out once. */
function labelOf(frame) {
  frame.label ??= nameOf(frame.element, frame.name, frame.scope.root);
  return frame.label;
}

const TYPED = /^(textbox|searchbox|spinbutton|date|time|month|week|datetime)$/;

/** True where the content is the user's own. */
const isEditable = (frame) => TYPED.test(frame.role) || frame.name === 'textarea';

/** Which of its family each one is. */
function number(frames) {
  const counts = new Map();
  for (const frame of frames) {
    frame.ordinal = counts.get(frame.family) || 0;
    counts.set(frame.family, frame.ordinal + 1);
  }
}

/** Sets the box of a candidate; false where it cannot be acted on for lack of one. */
function placeOf(frame) {
  const { element, name } = frame;
  const type = name === 'input' ? element.type : '';
  frame.box = frame.shown ? pageBox(element, frame.scope) : [0, 0, 0, 0];
  const tiny = frame.box[2] < 2 || frame.box[3] < 2;
  if (tiny && (type === 'checkbox' || type === 'radio' || type === 'file')) {
    const label = element.labels && element.labels[0];
    const box = label && label.checkVisibility() ? pageBox(label, frame.scope) : [0, 0, 0, 0];
    if (box[2] >= 2 && box[3] >= 2) frame.box = box;
    return box[2] >= 2 || type === 'file';
  }
  return frame.shown && frame.box[2] >= 1 && frame.box[3] >= 1;
}

function pageBox(element, scope) {
  const box = boxOf(element);
  return [box.left + scope.dx, box.top + scope.dy, box.width, box.height];
}

function record(frame, ref, form, top, viewport) {
  const { element, name, role } = frame;
  const out = {
    ref, tag: name, role, name: labelOf(frame), family: frame.family, ordinal: frame.ordinal, locator: locatorOf(frame),
    box: frame.box.map(Math.round), handlers: handlerRecords(frame, top),
  };
  const field = fieldOf(element, name, role, form);
  if (field) out.field = field;
  if (form) out.form = form;
  if (name === 'a' || name === 'area') out.href = attr(frame, 'href') || attr(frame, 'xlink:href') || '';
  if (isDisabled(element)) out.disabled = true;
  seen(frame, viewport, out);
  if (frame.holds) out.container = true;
  if (attr(frame, 'draggable') === 'true' || frame.handlers.some((pair) => pair[0] === 'dragstart')) out.draggable = true;
  if (frame.handlers.some((pair) => DROPS.has(pair[0]))) out.droppable = true;
  if (frame.pointer) out.pointer = true;
  if (frame.grab) out.grabbable = true;
  if (frame.hover) out.hover_reveals = true;
  if (frame.scrollable) out.scrollable = true;
  states(frame, out);
  return out;
}

/** Own handlers first, then those of ancestors that the event bubbles to. */
function handlerRecords(frame, top) {
  const records = [];
  const known = new Set();
  const add = ([type, fn], own) => {
    const where = locate(fn);
    const key = `${type} ${where}`;
    if (known.has(key) || records.length >= MAX_HANDLERS) return;
    known.add(key);
    records.push([type, where, own]);
  };
  for (const pair of frame.handlers) add(pair, 1);
  for (let at = frame.parent; at; at = at.parent) {
    for (const pair of at.handlers) add(pair, 0);
  }
  for (const pair of top.handlers) if (pair[1] && CAUSED.has(pair[0])) add(pair, 0);
  return records;
}

function isDisabled(element) {
  return matches(element, ':disabled') || element.closest('[aria-disabled="true"], [inert]') !== null;
}

/** Flags whether it is in view and in reach. */
function seen(frame, viewport, out) {
  const [x, y, w, h] = frame.box;
  const [, , cw, ch] = clip(frame.box, viewport);
  const cx = x + w / 2;
  const cy = y + h / 2;
  if (cw <= 0 || ch <= 0 || cx < 0 || cy < 0 || cx >= viewport[0] || cy >= viewport[1]) {
    out.offscreen = true;
    return;
  }
  if (reaches(frame.element, deepestAt(cx, cy))) return;
  if (hitPoint(frame.element, frame.box, viewport)) return;
  if (isClipped(frame.element, frame.scope, cx, cy)) out.offscreen = true;
  else out.covered = true;
}

/** True where a scrolling ancestor does not show the element's middle. */
function isClipped(element, scope, cx, cy) {
  for (let at = element.parentElement; at; at = at.parentElement) {
    if (getComputedStyle(at).overflow === 'visible') continue;
    const [x, y, w, h] = pageBox(at, scope);
    if (cx < x || cy < y || cx > x + w || cy > y + h) return true;
  }
  return false;
}

function states(frame, out) {
  const { element, name } = frame;
  const expanded = attr(frame, 'aria-expanded');
  if (expanded !== null) out.expanded = expanded === 'true';
  else if (name === 'summary' && frame.parent.name === 'details') out.expanded = frame.parent.element.open;
  const checked = attr(frame, 'aria-checked') ?? attr(frame, 'aria-pressed');
  if (checked !== null) out.checked = checked === 'true';
  else if (name === 'input' && (element.type === 'checkbox' || element.type === 'radio')) out.checked = element.checked;
  const selected = attr(frame, 'aria-selected') ?? attr(frame, 'aria-current');
  if (selected !== null) out.selected = selected !== 'false';
}
