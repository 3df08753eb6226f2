/**
 * The browser's own functions, saved before the app's code can replace them.
 *
 * The build injects these exports for every global of the same name, so `Map` anywhere in the agent is this one.
 * Patches that the app calls at any time use only what is saved here. Longer passes of ours run inside
 * `pristine`, which puts the built-in prototypes back for as long as the pass takes.
 */

export const {
  Map, Set, WeakMap, WeakSet, WeakRef, Promise, Date, Math, JSON, Object, Array, String, Number, RegExp, Error, Symbol,
  Uint8Array, Function, Reflect, Proxy, MutationObserver, MessageChannel, DOMException, AbortController,
  Event, EventTarget, Node, Element, Document, ShadowRoot, HTMLElement, CSS, TypeError, URL,
  decodeURIComponent, encodeURIComponent,
} = globalThis;
export const getComputedStyle = globalThis.getComputedStyle.bind(globalThis);

const call = Function.prototype.call;
const bind = Function.prototype.bind;

/** `uncurry(f)(self, ...args)` is `f.call(self, ...args)`, whatever the app does to `call`. */
export const uncurry = bind.bind(call);

/** The getter of a property as a plain function, so that no named form field can stand in its way. */
export function getter(prototype, name) {
  return uncurry(Object.getOwnPropertyDescriptor(prototype, name).get);
}

/** The window itself; `globalThis` may be shadowed in odd documents. */
export const win = globalThis;
/** The document; a window may get a second one, see `adoptDocument`. */
export let doc = globalThis.document;

export const defineProperty = Object.defineProperty;
export const descriptorOf = Object.getOwnPropertyDescriptor;
export const keysOf = Object.keys;
export const namesOf = Object.getOwnPropertyNames;
export const symbolsOf = Object.getOwnPropertySymbols;
export const apply = Reflect.apply;
export const construct = Reflect.construct;
export const stringify = JSON.stringify;
export const parse = JSON.parse;

export const weakGet = uncurry(WeakMap.prototype.get);
export const weakSet = uncurry(WeakMap.prototype.set);
export const weakHas = uncurry(WeakMap.prototype.has);
export const mapGet = uncurry(Map.prototype.get);
export const mapSet = uncurry(Map.prototype.set);
export const mapDelete = uncurry(Map.prototype.delete);
export const then = uncurry(Promise.prototype.then);
export const exec = uncurry(RegExp.prototype.exec);
export const functionText = uncurry(Function.prototype.toString);

export const addListener = uncurry(EventTarget.prototype.addEventListener);
export const dispatch = uncurry(EventTarget.prototype.dispatchEvent);

const onWindow = [];

/** Listens on the window, in every document that it shows. */
export function listen(type, fn, options) {
  onWindow[onWindow.length] = [type, fn, options];
  addListener(win, type, fn, options);
}

/**
 * The window of a new iframe or tab shows an empty document first and is used again for the first real one: its
 * patches stay, its listeners and document do not.
 */
export function adoptDocument(document) {
  doc = document;
  for (let i = 0; i < onWindow.length; i++) addListener(win, onWindow[i][0], onWindow[i][1], onWindow[i][2]);
}

export const nodeType = getter(Node.prototype, 'nodeType');
export const firstChild = getter(Node.prototype, 'firstChild');
export const nextSibling = getter(Node.prototype, 'nextSibling');
export const parentNode = getter(Node.prototype, 'parentNode');
export const localName = getter(Element.prototype, 'localName');
export const attributesOf = getter(Element.prototype, 'attributes');
export const textOf = getter(Node.prototype, 'textContent');
export const isConnected = getter(Node.prototype, 'isConnected');
export const attribute = uncurry(Element.prototype.getAttribute);
export const hasAttribute = uncurry(Element.prototype.hasAttribute);
export const boxOf = uncurry(Element.prototype.getBoundingClientRect);
export const matches = uncurry(Element.prototype.matches);
export const openShadow = getter(Element.prototype, 'shadowRoot');
export const checkVisibility = uncurry(Element.prototype.checkVisibility);

const performance = globalThis.performance;
/** Real milliseconds since the document began, whatever clock the page sees. */
export const realNow = uncurry(performance.now).bind(null, performance);

/** Real timers and frames. */
export const realTimers = {
  setTimeout: globalThis.setTimeout.bind(globalThis),
  clearTimeout: globalThis.clearTimeout.bind(globalThis),
  setInterval: globalThis.setInterval.bind(globalThis),
  clearInterval: globalThis.clearInterval.bind(globalThis),
  requestAnimationFrame: globalThis.requestAnimationFrame.bind(globalThis),
  cancelAnimationFrame: globalThis.cancelAnimationFrame.bind(globalThis),
};
export const queueMicrotask = globalThis.queueMicrotask.bind(globalThis);

/** Appends without Array.prototype.push. */
export function append(list, item) {
  list[list.length] = item;
}

/** Built-in methods that our passes rely on, by prototype. */
const relied = [
  [Array.prototype, ['push', 'pop', 'join', 'map', 'filter', 'slice', 'sort', 'some', 'every', 'includes', 'indexOf', 'findIndex', 'find',
    'concat', 'reverse', 'splice', 'forEach', 'keys', 'entries', 'values', 'shift', 'unshift', 'flat', 'flatMap', 'reduce', Symbol.iterator, 'toJSON']],
  [String.prototype, ['slice', 'trim', 'replace', 'split', 'toLowerCase', 'toUpperCase', 'startsWith', 'endsWith', 'includes', 'indexOf',
    'charCodeAt', 'match', 'matchAll', 'padStart', 'substring', 'repeat', 'search', 'toJSON', Symbol.iterator]],
  [RegExp.prototype, ['exec', 'test', Symbol.replace, Symbol.split, Symbol.match]],
  [Map.prototype, ['get', 'set', 'has', 'delete', 'forEach', 'values', 'keys', 'entries', 'clear', Symbol.iterator]],
  [Set.prototype, ['add', 'has', 'delete', 'forEach', 'values', 'clear', Symbol.iterator]],
  [WeakMap.prototype, ['get', 'set', 'has', 'delete']],
  [WeakSet.prototype, ['add', 'has', 'delete']],
  [Object.prototype, ['toString', 'hasOwnProperty', 'toJSON']],
  [Number.prototype, ['toString', 'toFixed', 'toJSON']],
  [Element.prototype, ['getAttribute', 'hasAttribute', 'matches', 'closest', 'querySelector', 'querySelectorAll', 'getBoundingClientRect',
    'contains', 'checkVisibility', 'scrollIntoView']],
  [Document.prototype, ['querySelector', 'querySelectorAll', 'getElementById', 'elementFromPoint', 'createElement']],
].map(([owner, names]) => names.map((name) => ({ owner, name, saved: descriptorOf(owner, name) }))).flat();

/** Puts the built-in methods back; gives what was there instead, to be restored. */
function restoreBuiltins() {
  let changed = null;
  for (let i = 0; i < relied.length; i++) {
    const { owner, name, saved } = relied[i];
    const now = descriptorOf(owner, name);
    if (now === undefined ? saved === undefined : saved !== undefined && now.value === saved.value) continue;
    if (now && !now.configurable) continue;
    changed ??= [];
    append(changed, { owner, name, now });
    if (saved) defineProperty(owner, name, saved);
    else delete owner[name];
  }
  return changed;
}

/** Runs `work` with the built-in prototypes as they were before the app's code, then gives the app its own back. */
export function pristine(work) {
  const changed = restoreBuiltins();
  if (!changed) return work();
  try {
    return work();
  } finally {
    for (let i = 0; i < changed.length; i++) {
      const { owner, name, now } = changed[i];
      if (now) defineProperty(owner, name, now);
      else delete owner[name];
    }
  }
}
