/**
 * What the documents of one origin in one tab share: an iframe's agent joins its parent's, so that there is
 * one clock, one register of listeners and one count of effects for the whole page.
 */
import { Map, Object, WeakMap, append, doc, getter, Document, win } from './natives.js';

const NAME = '__explorer$';
const viewOf = getter(Document.prototype, 'defaultView');

function configOf() {
  const given = win.__explorerConfig$;
  delete win.__explorerConfig$;
  return { clock: 'virtual', start_ms: 1767603600000, seed: 0, random: 'seeded', crypto: '', istanbul: false, ...given };
}

/** The shared state of the same-origin parent, if there is one. */
function inherited() {
  try {
    if (win.parent === win) return null;
    const theirs = win.parent[NAME];
    return (theirs && theirs.shared) || null;
  } catch {
    return null; // cross-origin parent: this document is a root of its own
  }
}

/** What the clock shows in the window that opened this one, 0 where that cannot be told. */
export function openersTime() {
  try {
    const theirs = win.opener && win.opener[NAME];
    return theirs && !theirs.shared.clock.real ? theirs.shared.clock.now : 0;
  } catch {
    return 0; // cross-origin opener
  }
}

/** The options that the installer put before this script; see js/README.md. */
export const config = configOf();

const parent = inherited();

/** State of all same-origin documents of this tab. */
export const shared = parent || {
  realms: [],
  /** target -> [{type, fn, capture}] */
  listeners: new WeakMap(),
  /** target -> types whose on* property was set from script */
  properties: new WeakMap(),
  /** bound function -> function */
  boundFrom: new WeakMap(),
  /** function -> [key, slot] or null */
  located: new WeakMap(),
  empty: new WeakMap(),
  /** listener -> first target, and listeners known to serve a framework's delegation */
  firstTarget: new WeakMap(),
  dispatchers: new WeakMap(),
  /** host -> shadow root, closed ones included */
  shadowRoots: new WeakMap(),
  /** canvas -> context type */
  contexts: new WeakMap(),
  effects: { requests: 0, storage: 0, mutations: 0, navigations: 0, media: 0, prints: 0, closes: 0 },
  clock: null,
  /** work of the browser that the page waits for: entry -> true */
  pending: [],
  webgl: 0,
  /** resources that have come: scripts that scripts import are seen in no other way */
  loaded: 0,
  /** real time when the last script came */
  scriptCame: -1e9,
  trustedMoves: 0,
  /** whether a counter grew since that was last asked */
  ran: false,
};

/** True where this document's agent is the one that is asked. */
export const isRoot = !parent;

/** This document's entry in the shared state. */
export const realm = { win, doc, current: () => document, renew: null, seen: new Map(), config, counters: null, born: 0, gaveUp: null };

/** The realms whose documents are still shown. */
export function liveRealms() {
  const live = [];
  for (let i = 0; i < shared.realms.length; i++) if (isAlive(shared.realms[i])) append(live, shared.realms[i]);
  return live;
}

/** False once a document was navigated away or its iframe removed. */
export function isAlive(realm) {
  const current = realm.current();
  if (current !== realm.doc && realm.renew) realm.renew(current);
  return viewOf(realm.doc) !== null;
}

/** Publishes the agent's interface under a name that no enumeration shows. */
export function publish(api) {
  Object.defineProperty(win, NAME, { value: api, enumerable: false, configurable: false, writable: false });
}
