/** Keeps a register of who listens for what, by patching the functions that add and remove listeners. */
import {
  EventTarget, Function, HTMLElement, Document, addListener, append, apply, namesOf, weakGet, weakSet, win, Element,
} from './natives.js';
import { isEmpty } from './counters.js';
import { patch, patchAccessor } from './disguise.js';
import { shared } from './realm.js';

/** Event types that an on* property may be set for and that an action can cause. */
const PROPERTY_EVENTS = [
  'click', 'dblclick', 'auxclick', 'contextmenu', 'mousedown', 'mouseup', 'mousemove', 'mouseover', 'mouseout', 'mouseenter', 'mouseleave',
  'pointerdown', 'pointerup', 'pointermove', 'pointerover', 'pointerenter', 'pointerleave', 'touchstart', 'touchmove', 'touchend',
  'keydown', 'keyup', 'keypress', 'input', 'change', 'submit', 'reset', 'invalid', 'focus', 'blur', 'wheel', 'scroll', 'select', 'toggle',
  'drag', 'dragstart', 'dragend', 'dragenter', 'dragover', 'dragleave', 'drop', 'copy', 'cut', 'paste', 'resize', 'hashchange', 'popstate',
  'storage', 'online', 'offline', 'message', 'beforeunload',
];

const captureOf = (options) => (typeof options === 'object' && options !== null ? !!options.capture : !!options);

function find(list, type, fn, capture) {
  for (let i = 0; i < list.length; i++) {
    const entry = list[i];
    if (entry.type === type && entry.fn === fn && entry.capture === capture) return i;
  }
  return -1;
}

/** Notes a listener, unless it is there already. */
function remember(target, type, fn, options) {
  let list = weakGet(shared.listeners, target);
  if (!list) weakSet(shared.listeners, target, (list = []));
  const capture = captureOf(options);
  if (find(list, type, fn, capture) >= 0) return;
  append(list, { type, fn, capture });
  markDispatcher(target, fn);
  const once = typeof options === 'object' && options !== null && options.once;
  const signal = typeof options === 'object' && options !== null && options.signal;
  const drop = () => forget(target, type, fn, capture);
  if (once) addListener(target, type, drop, { once: true, capture });
  if (signal) addListener(signal, 'abort', drop, { once: true });
}

/**
 * A function that listens on the document and on an element too, or for many types on one target, is a
 * framework's dispatcher and no handler of the app's own.
 */
function markDispatcher(target, fn) {
  const seen = weakGet(shared.firstTarget, fn);
  if (!seen) {
    weakSet(shared.firstTarget, fn, { target, types: 1 });
  } else if (seen.target === target) {
    if (++seen.types > 12) weakSet(shared.dispatchers, fn, true);
  } else if (isDocument(target) !== isDocument(seen.target) && !isWindow(target) && !isWindow(seen.target)) {
    weakSet(shared.dispatchers, fn, true);
  }
}

const isDocument = (target) => target instanceof Document;
const isWindow = (target) => target === win;

function forget(target, type, fn, capture) {
  const list = weakGet(shared.listeners, target);
  const at = list ? find(list, type, fn, capture) : -1;
  if (at < 0) return;
  for (let i = at; i < list.length - 1; i++) list[i] = list[i + 1];
  list.length--;
}

/** What was added to a target and not removed: `[{type, fn, capture}]`. */
export function listenersOf(target) {
  return weakGet(shared.listeners, target);
}

function noteProperty(target, type) {
  const types = weakGet(shared.properties, target);
  if (!types) weakSet(shared.properties, target, [type]);
  for (let i = 0; types && i < types.length; i++) if (types[i] === type) return;
  if (types) append(types, type);
}

function isListener(fn) {
  return typeof fn === 'function' || (typeof fn === 'object' && fn !== null);
}

/** Patches addEventListener, removeEventListener, the on* properties, bind and attachShadow of this document. */
export function installListenerRegister(onShadow) {
  patch(EventTarget.prototype, 'addEventListener', (original) => ({
    addEventListener(type, fn, options) {
      const result = apply(original, this, arguments);
      if (isListener(fn)) remember(this ?? win, `${type}`, fn, options);
      return result;
    },
  }).addEventListener);
  patch(EventTarget.prototype, 'removeEventListener', (original) => ({
    removeEventListener(type, fn, options) {
      if (isListener(fn)) forget(this ?? win, `${type}`, fn, captureOf(options));
      return apply(original, this, arguments);
    },
  }).removeEventListener);
  patch(Function.prototype, 'bind', (original) => ({
    bind(...args) {
      const bound = apply(original, this, args);
      weakSet(shared.boundFrom, bound, this);
      return bound;
    },
  }).bind);
  patch(Element.prototype, 'attachShadow', (original) => ({
    attachShadow() {
      const root = apply(original, this, arguments);
      weakSet(shared.shadowRoots, this, root);
      onShadow(root);
      return root;
    },
  }).attachShadow);
  watchProperties();
}

function watchProperties() {
  const owners = [
    HTMLElement.prototype, win.SVGElement && win.SVGElement.prototype, win.HTMLBodyElement && win.HTMLBodyElement.prototype, Document.prototype, win,
  ];
  for (const owner of owners) {
    for (const type of PROPERTY_EVENTS) {
      patchAccessor(owner, `on${type}`, (get, set) => ({
        set: set && {
          set(value) {
            if (value) noteProperty(this ?? win, type);
            return apply(set, this, [value]);
          },
        }.set,
      }));
    }
  }
}

/** Adds the on* handlers of a target, set from script or by attribute (`attrs`, may be null): [type, fn]. */
export function propertyHandlers(target, attrs, found) {
  const types = weakGet(shared.properties, target);
  for (let i = 0; types && i < types.length; i++) addProperty(target, types[i], found);
  for (const name in attrs) {
    if (name[0] === 'o' && name[1] === 'n' && !(types && types.includes(name.slice(2)))) addProperty(target, name.slice(2), found);
  }
}

function addProperty(target, type, found) {
  const fn = target[`on${type}`];
  if (typeof fn !== 'function') return;
  // React puts an empty onclick on its roots, for the sake of an old browser: no handler.
  if (type === 'click' && isReactRoot(target) && isEmpty(fn)) return;
  append(found, [type, fn]);
}

function isReactRoot(target) {
  return namesOf(target).some((name) => name.startsWith('__reactContainer$') || name === '_reactRootContainer');
}
