/** Hands over what a document knows before it goes: its last hits, and the clock for the next document. */
import {
  Document, JSON, RegExp, Symbol, addListener, append, apply, descriptorOf, doc, exec, listen, keysOf, pristine, queueMicrotask, realNow,
  realTimers, stringify, uncurry, win,
} from './natives.js';
import { patchAccessor } from './disguise.js';
import { holdCounters, newHits } from './coverage.js';
import { begin } from './effects.js';
import { isRoot, shared } from './realm.js';

/**
 * A cookie that lives from the end of one document to the start of the next, and that the app never sees. It is the
 * one store that is written at once, read at once and there on every way of navigating; where a document may have
 * no cookies, the clock begins anew. It holds the clock's time and the hits of the app's own farewell.
 */
const NAME = '__explorerLeft';
const LEFT = /(?:^|; )__explorerLeft=([^;]*)/;
/** Browsers drop cookies over 4,096 characters. */
const LONGEST = 3900;

const cookie = descriptorOf(Document.prototype, 'cookie');
const replace = uncurry(RegExp.prototype[Symbol.replace]);
const parse = JSON.parse;

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

/** Hits that the document before left behind or that workers sent; to be taken with the next observation. */
const carried = [];

/** Writes the clock, and the hits since the last flush if they are few enough. */
function leaveMark(realm) {
  const left = { clock: shared.clock.real ? 0 : shared.clock.now, hits: pristine(() => newHits(realm)) };
  let text = encodeURIComponent(stringify(left));
  if (text.length > LONGEST) text = encodeURIComponent(stringify({ clock: left.clock, hits: {} }));
  writeCookie(text);
}

/** Takes the mark away; gives the time it held or 0. */
export function takeMark() {
  const match = exec(LEFT, readCookies());
  if (!match) return 0;
  writeCookie('; max-age=0');
  try {
    const left = parse(decodeURIComponent(match[1]));
    append(carried, left.hits);
    return left.clock;
  } catch {
    return 0; // not ours
  }
}

/** Takes hits that came from elsewhere, for the next observation. */
export function carry(hits) {
  append(carried, hits);
}

/** Adds what earlier documents left behind and workers sent to hits. */
export function addCarried(hits) {
  for (let i = 0; i < carried.length; i++) {
    for (const key of keysOf(carried[i])) hits[key] = (hits[key] || []).concat(carried[i][key]);
  }
  carried.length = 0;
  return hits;
}

/** Milliseconds that the clock had reached in the document before, 0 for a first one. */
export function inheritedTime() {
  patchAccessor(Document.prototype, 'cookie', (get) => ({
    get() {
      const all = apply(get, this, []);
      const rest = replace(LEFT, all, '');
      return rest[0] === ';' ? replace(/^; /, rest, '') : rest;
    },
  }));
  return isRoot ? takeMark() : 0;
}

/** Sends new hits of this document to the driver, if it listens. */
export function flush(realm) {
  const send = win.__explorerFlush$;
  if (typeof send !== 'function') return;
  const hits = pristine(() => newHits(realm));
  if (keysOf(hits).length > 0) send(stringify({ hits }));
}

/** Real milliseconds that the next document is given to come, once this one is told to go. */
const LEAVING_MS = 600;

/** Installs the hand-over of this document. */
export function installUnload(realm) {
  const send = () => flush(realm);
  listen('beforeunload', () => {
    send();
    queueMicrotask(send);
    realTimers.setTimeout(send, 0);
    leaving();
  });
  listen('pagehide', () => {
    arrived();
    if (!isRoot) holdCounters(realm);
    else send();
  });
  // The last word: pagehide's listeners have run, and what is written now is there for the next document.
  listen('visibilitychange', () => {
    if (isRoot && doc.visibilityState === 'hidden') leaveMark(realm);
  }, true);
}

let arrived = () => {};

/** A navigation has begun: settling waits for it, until it turns out to lead nowhere (a download, no content). */
function leaving() {
  if (isRoot && !shared.clock.real) writeCookie(encodeURIComponent(stringify({ clock: shared.clock.now, hits: {} })));
  arrived = begin({ until: realNow() + LEAVING_MS });
  if (win.navigation) addListener(win.navigation, 'navigateerror', arrived, { once: true });
}
