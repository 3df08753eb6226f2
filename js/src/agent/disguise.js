/**
 * Replaces functions of the page so that the replacement looks like the original: same name, same length,
 * same property flags, and the same text. Also keeps the instrumenter's counters out of every function's text.
 */
import { Function, Reflect, WeakMap, defineProperty, descriptorOf, functionText, pristine, weakGet, weakHas, weakSet } from './natives.js';
import { strip } from './counters.js';
import { remember } from './texts.js';

/** replacement -> the original whose text it shows */
const originals = new WeakMap();

/** Gives `replacement` the name, length and text of `original`. */
export function disguise(replacement, original) {
  defineProperty(replacement, 'name', { value: original.name, configurable: true });
  defineProperty(replacement, 'length', { value: original.length, configurable: true });
  weakSet(originals, replacement, original);
  return replacement;
}

/**
 * Replaces method `name` of `owner` with `make(original)`; nothing happens where the browser has no such method.
 * Methods are written with method syntax by `make`, so that they are no constructors, as the originals are none.
 */
export function patch(owner, name, make) {
  const found = owner && descriptorOf(owner, name);
  if (!found || typeof found.value !== 'function' || !found.configurable) return;
  defineProperty(owner, name, { ...found, value: disguise(make(found.value), found.value) });
}

/** Replaces getter and setter of an accessor: `make(get, set)` gives `{get, set}`, either may be left out. */
export function patchAccessor(owner, name, make) {
  const found = owner && descriptorOf(owner, name);
  if (!found || !(found.get || found.set) || !found.configurable) return;
  const made = make(found.get, found.set);
  const get = made.get ? disguise(made.get, found.get) : found.get;
  const set = made.set ? disguise(made.set, found.set) : found.set;
  defineProperty(owner, name, { ...found, get, set });
}

/** The text that the app may see of a function. */
function visibleText(fn) {
  let target = fn;
  while (weakHas(originals, target)) target = weakGet(originals, target);
  const full = functionText(target);
  const shown = strip(full);
  if (shown !== full) pristine(() => remember(shown, full));
  return shown;
}

/** Patches Function.prototype.toString of this document. */
export function installTextDisguise() {
  patch(Function.prototype, 'toString', (original) => ({
    toString() {
      return typeof this === 'function' ? visibleText(this) : Reflect.apply(original, this, []);
    },
  }).toString);
}
