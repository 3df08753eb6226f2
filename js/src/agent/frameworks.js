/** Finds the handlers that frameworks keep on elements, out of sight of addEventListener. */
import { keysOf, namesOf, symbolsOf, weakGet } from './natives.js';
import { unbind } from './counters.js';
import { listenersOf, propertyHandlers } from './listeners.js';
import { shared } from './realm.js';

/** Where wrappers of frameworks keep the function of the app: Vue 2, Vue 3, lit, Zone.js, AngularJS and the like. */
const INNER = ['fns', 'value', '_$AH', 'callback', 'handler', 'listener', 'handleEvent'];

/** The app's function behind a listener: an object's handleEvent, a wrapper's inner function. */
export function unwrap(listener) {
  let current = listener;
  for (let depth = 0; depth < 4; depth++) {
    const inner = innerOf(current);
    if (!inner) break;
    current = inner;
  }
  return typeof current === 'function' ? unbind(current) : null;
}

function innerOf(wrapper) {
  for (let i = 0; i < INNER.length; i++) {
    let inner;
    try {
      inner = wrapper[INNER[i]];
    } catch {
      continue; // an app's getter that throws
    }
    if (inner && inner.length === 1 && typeof inner !== 'function' && typeof inner[0] === 'function') inner = inner[0];
    if (typeof inner === 'function' && inner !== wrapper) return inner;
  }
  return null;
}

const REACT_EVENT = /^on([A-Z][A-Za-z]+?)(Capture)?$/;

/** React 16 and later: props on the element. */
function fromReact(props, found) {
  for (const name in props) {
    const match = REACT_EVENT.exec(name);
    if (!match || typeof props[name] !== 'function') continue;
    const type = match[1].toLowerCase();
    found.push([type === 'doubleclick' ? 'dblclick' : type, props[name]]);
    if (type === 'change') found.push(['input', props[name]]); // React's onChange follows the input event
  }
}

/** jQuery 2 and later: the private data under its expando. Delegated ones go to the elements that match. */
function fromJquery(events, found, delegated) {
  for (const type in events) {
    for (const entry of events[type]) {
      const plain = entry.origType || type;
      if (!entry.selector) found.push([plain, entry.handler]);
      else delegated.push([plain, entry.handler, entry.selector]);
    }
  }
}

/** Vue 3: invokers by prop name. */
function fromVue(invokers, found) {
  for (const name in invokers) {
    const value = invokers[name] && invokers[name].value;
    for (const fn of Array.isArray(value) ? value : [value]) {
      if (typeof fn === 'function') found.push([name.slice(2).toLowerCase().replace(/(once|passive|capture)+$/, ''), fn]);
    }
  }
}

/** Svelte 5: delegated handlers, a function or [function, ...arguments]. */
function fromSvelte(type, value, found) {
  const fn = Array.isArray(value) ? value[0] : value;
  if (typeof fn === 'function') found.push([type, fn]);
}

/** Preact: functions by prop name (11: "onClick") or by type and capture flag (10: "clickfalse"). */
function fromPreact(table, found) {
  for (const key of keysOf(table)) {
    const match = /^on([A-Za-z]+?)(?:Capture)?$/.exec(key) || /^([A-Za-z]+)(?:true|false)$/.exec(key);
    if (match && typeof table[key] === 'function') found.push([match[1].toLowerCase(), table[key]]);
  }
}

/** Zone.js (Angular): tasks by type. */
function fromZone(key, tasks, found) {
  const match = /^__zone_symbol__([a-z]+)(true|false)$/.exec(key);
  if (!match || !Array.isArray(tasks)) return;
  for (const task of tasks) if (task && typeof task.callback === 'function') found.push([match[1], task.callback]);
}

function fromKeys(element, keys, found, delegated) {
  let replaced = false;
  for (const key of keys) {
    const value = element[key];
    if (!value) continue;
    if (key.startsWith('__react')) {
      if (key.startsWith('__reactProps$') || key.startsWith('__reactEventHandlers$')) fromReact(value, found);
    } else if (key.startsWith('jQuery')) {
      const events = value.events || storeOf(element, value);
      if (events) fromJquery(events, found, delegated);
      replaced ||= !!events;
    } else if (key === '_vei') {
      fromVue(value, found);
      replaced = true;
    } else if ((key === 'l' || key === '__e' || key === '_listeners') && typeof value === 'object') {
      const before = found.length;
      fromPreact(value, found);
      replaced ||= found.length > before;
    } else if (key.startsWith('__zone_symbol__')) {
      const before = found.length;
      fromZone(key, value, found);
      replaced ||= found.length > before;
    } else if (key.startsWith('__') && typeof value !== 'string' && element[`on${key.slice(2)}`] !== undefined) {
      fromSvelte(key.slice(2), value, found);
    }
  }
  return replaced;
}

/** jQuery 1 and 2.0 to 2.1: the expando holds a number into a cache that jQuery itself has to be asked for. */
function storeOf(element, value) {
  const view = (element.ownerDocument || element).defaultView;
  const query = typeof value === 'number' && view && (view.jQuery || view.$);
  return query && typeof query._data === 'function' ? query._data(element, 'events') : null;
}

function fromSymbols(element, symbols, found) {
  let replaced = false;
  for (const symbol of symbols) {
    const name = symbol.description;
    if (name === '_vei') {
      fromVue(element[symbol], found);
      replaced = true;
    } else if (name === 'events' && typeof element[symbol] === 'object') {
      for (const type in element[symbol]) fromSvelte(type, element[symbol][type], found);
    }
  }
  return replaced;
}

/** True for a function that only passes events on to a framework's own register. */
function isDispatcher(element, fn) {
  if (weakGet(shared.dispatchers, fn)) return true;
  return element.window !== element && isReactRoot(element) && unbind(fn) !== fn;
}

function isReactRoot(element) {
  for (const key of namesOf(element)) if (key.startsWith('_reactListening')) return true;
  return false;
}

/**
 * All handlers of one element (with its attributes by name), document or window: `[[type, fn]]`, and through `delegated` those that wait for matching
 * descendants: `[type, fn, selector]`.
 */
export function handlersOf(element, attrs, delegated) {
  const found = [];
  const isWindow = element.window === element;
  const keys = isWindow ? [] : namesOf(element); // jQuery 2.0 hides its own from Object.keys
  const symbols = isWindow ? [] : symbolsOf(element);
  let replaced = keys.length > 0 && fromKeys(element, keys, found, delegated);
  if (symbols.length > 0 && fromSymbols(element, symbols, found)) replaced = true;
  const listeners = listenersOf(element);
  if (listeners) {
    for (const { type, fn } of listeners) {
      if (isDispatcher(element, fn) || (replaced && isStored(type, found, delegated))) continue;
      found.push([type, unwrap(fn) || fn]);
    }
  }
  propertyHandlers(element, attrs, found);
  return found;
}

/** The framework's own store has a handler for the type already: its listener is only the way there. */
function isStored(type, found, delegated) {
  return found.some((pair) => pair[0] === type) || delegated.some((entry) => entry[0] === type);
}
