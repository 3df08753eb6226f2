/** Gestures that are made from events in the page, where the mouse and keyboard of the driver do not serve. */
import { win } from './natives.js';
import { deepestAt, hitPoint } from './hits.js';

/** The middle of an element's box, in coordinates of its own document's viewport. */
function middle(element) {
  const box = element.getBoundingClientRect();
  return { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 };
}

/** Offset of an element's document within the page's viewport. */
function offsetOf(element) {
  let [dx, dy] = [0, 0];
  let view = element.ownerDocument.defaultView;
  while (view && view !== win && view.frameElement) {
    const frame = view.frameElement;
    const box = frame.getBoundingClientRect();
    dx += box.left + frame.clientLeft;
    dy += box.top + frame.clientTop;
    view = frame.ownerDocument.defaultView;
  }
  return [dx, dy];
}

/**
 * Scrolls an element into view: `[x, y, width, height, hit]`, a box in the page's viewport whose middle is the point
 * to click (the element's own box, moved where something lies over its middle); hit is 1 if a click there reaches
 * the element and 0 if something else is in the way.
 */
export function pointOf(element) {
  const viewport = [win.innerWidth, win.innerHeight];
  let box = boxIn(element);
  const [x, y, w, h] = box;
  const outside = x < 0 || y < 0 || x + w > viewport[0] || y + h > viewport[1];
  let hit = outside ? null : hitPoint(element, box, viewport);
  if (!hit) {
    element.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
    box = boxIn(element);
    hit = hitPoint(element, box, viewport) || lineHit(element, viewport);
  }
  if (!hit) return [...box.map(round), 0];
  return [round(hit[0] - box[2] / 2), round(hit[1] - box[3] / 2), round(box[2]), round(box[3]), 1];
}

const round = (value) => Math.round(value * 10) / 10;

function boxIn(element) {
  const target = shownPart(element);
  const [dx, dy] = offsetOf(target);
  const box = target.getBoundingClientRect();
  return [box.left + dx, box.top + dy, box.width, box.height];
}

/** A check box drawn by its label is clicked on the label. */
function shownPart(element) {
  const box = element.getBoundingClientRect();
  const label = (box.width < 2 || box.height < 2) && element.labels && element.labels[0];
  return label || element;
}

/** Links that break over lines: the middle of a line. */
function lineHit(element, viewport) {
  const [dx, dy] = offsetOf(element);
  for (const line of element.getClientRects()) {
    const hit = hitPoint(element, [line.left + dx, line.top + dy, line.width, line.height], viewport);
    if (hit) return hit;
  }
  return null;
}

/** Sets a field as a user would, with input and change events; false for what is no such field. */
export function setValue(element, value) {
  const view = element.ownerDocument.defaultView;
  const name = element.localName;
  if (element.focus) element.focus();
  if (name === 'select') return setSelect(element, value, view);
  if (name === 'input' || name === 'textarea') {
    const owner = name === 'input' ? view.HTMLInputElement : view.HTMLTextAreaElement;
    Object.getOwnPropertyDescriptor(owner.prototype, 'value').set.call(element, value);
  } else if (element.isContentEditable) {
    element.textContent = value;
  } else {
    return false;
  }
  announce(element, view);
  return true;
}

function setSelect(element, value, view) {
  const wanted = new Set(element.multiple ? value.split('\n') : [value]);
  let found = false;
  for (const option of element.options) {
    const match = wanted.has(option.text.replace(/\s+/g, ' ').trim()) || wanted.has(option.value);
    if (element.multiple) option.selected = match;
    else if (match && !found) option.selected = true;
    found ||= match;
  }
  if (found) announce(element, view);
  return found;
}

function announce(element, view) {
  element.dispatchEvent(new view.InputEvent('input', { bubbles: true, composed: true }));
  element.dispatchEvent(new view.Event('change', { bubbles: true }));
}

/** Drags one element onto another with drag events that share one DataTransfer; true if the drop was accepted. */
export function dragOnto(from, to) {
  const view = from.ownerDocument.defaultView;
  const data = new view.DataTransfer();
  const start = middle(from);
  const end = middle(to);
  const fire = (target, type, at, cancelable) => target.dispatchEvent(new view.DragEvent(type, {
    bubbles: true, cancelable, composed: true, dataTransfer: data, view, ...at, screenX: at.clientX, screenY: at.clientY,
  }));
  if (!fire(from, 'dragstart', start, true)) {
    fire(from, 'dragend', start, false);
    return false;
  }
  fire(from, 'drag', start, true);
  const entered = !fire(to, 'dragenter', end, true);
  const accepted = !fire(to, 'dragover', end, true);
  fire(from, 'drag', end, true);
  if (accepted || entered) fire(to, 'drop', end, true);
  else fire(to, 'dragleave', end, false);
  fire(from, 'dragend', end, false);
  return accepted || entered;
}

/** Files dropped on an element: `[[name, type, text]]`. */
export function dropFiles(to, files) {
  const view = to.ownerDocument.defaultView;
  const data = new view.DataTransfer();
  for (const [name, type, text] of files) data.items.add(new view.File([text], name, { type }));
  const at = middle(to);
  const fire = (type) => !to.dispatchEvent(new view.DragEvent(type, { bubbles: true, cancelable: true, composed: true, dataTransfer: data, view, ...at }));
  fire('dragenter');
  const accepted = fire('dragover');
  fire('drop');
  return accepted;
}

/** A finger that goes from (x, y) by (dx, dy) in four moves: touch and pointer events. */
export function swipe(x, y, dx, dy) {
  const target = deepestAt(x, y);
  if (!target) return false;
  const view = target.ownerDocument.defaultView;
  const [ox, oy] = offsetOf(target);
  const fire = (phase, px, py) => {
    fireFinger(target, view, phase, px - ox, py - oy);
  };
  fire('start', x, y);
  for (let step = 1; step <= 4; step++) fire('move', x + (dx * step) / 4, y + (dy * step) / 4);
  fire('end', x + dx, y + dy);
  return true;
}

const POINTER = { start: 'pointerdown', move: 'pointermove', end: 'pointerup' };

function fireFinger(target, view, phase, x, y) {
  const at = { clientX: x, clientY: y, screenX: x, screenY: y };
  const base = { bubbles: true, cancelable: true, composed: true, view };
  target.dispatchEvent(new view.PointerEvent(POINTER[phase], {
    ...base, ...at, pointerId: 2, pointerType: 'touch', isPrimary: true, buttons: phase === 'end' ? 0 : 1,
  }));
  const touch = new view.Touch({ identifier: 1, target, ...at, pageX: x + view.scrollX, pageY: y + view.scrollY });
  const touches = phase === 'end' ? [] : [touch];
  target.dispatchEvent(new view.TouchEvent(`touch${phase}`, { ...base, touches, targetTouches: touches, changedTouches: [touch] }));
}
