/** Hands over what a document knows before it goes: its last hits, and the clock for the next document. */
import {
  Document, Number, RegExp, Symbol, addListener, apply, descriptorOf, doc, exec, queueMicrotask, realTimers, stringify, uncurry, win,
} from './natives.js';
import { patchAccessor } from './disguise.js';
import { newHits } from './coverage.js';
import { isRoot, shared } from './realm.js';

/**
 * A cookie that lives from the end of one document to the start of the next, and that the app never sees. It is the
 * one store that is written at once, read at once and there on every way of navigating; where a document may have
 * no cookies, the clock begins anew.
 */
const NAME = '__explorerClock';
const CLOCK = /(?:^|; )__explorerClock=(\d+(?:\.\d+)?)/;

const cookie = descriptorOf(Document.prototype, 'cookie');
const replace = uncurry(RegExp.prototype[Symbol.replace]);

function readCookies() {
  try {
    return apply(cookie.get, doc, []);
  } catch {
    return ''; // a sandboxed document
  }
}

function writeCookie(text) {
  try {
    apply(cookie.set, doc, [`${NAME}=${text}; path=/; SameSite=Lax`]);
  } catch {
    // a sandboxed document hands nothing over
  }
}

/** Takes the cookie away; gives the time it held or 0. */
export function takeMark() {
  const match = exec(CLOCK, readCookies());
  if (!match) return 0;
  writeCookie('; max-age=0');
  return Number(match[1]);
}

/** Milliseconds that the clock had reached in the document before, 0 for a first one. */
export function inheritedTime() {
  if (!isRoot) return 0;
  patchAccessor(Document.prototype, 'cookie', (get) => ({
    get() {
      const all = apply(get, this, []);
      const rest = replace(CLOCK, all, '');
      return rest[0] === ';' ? replace(/^; /, rest, '') : rest;
    },
  }));
  return takeMark();
}

/** Sends new hits of this document to the driver, if it listens. */
export function flush(realm) {
  const send = win.__explorerFlush$;
  if (typeof send !== 'function') return;
  const hits = newHits(realm);
  for (const key in hits) {
    if (key) {
      send(stringify({ hits }));
      return;
    }
  }
}

/** Installs the hand-over of this document. */
export function installUnload(realm) {
  const send = () => flush(realm);
  addListener(win, 'beforeunload', () => {
    send();
    queueMicrotask(send);
    realTimers.setTimeout(send, 0);
    if (isRoot && !shared.clock.real) writeCookie(shared.clock.now);
  });
  addListener(win, 'pagehide', send);
}
