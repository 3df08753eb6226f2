/**
 * Code that the app makes of its own functions' text: workers and modules from blob: and data: URLs, and scripts that
 * it writes into the page.
 *
 * The app sees its functions without counters (disguise.js), so such copies would run uncounted. What the app was
 * shown is remembered; where that text comes back as the code of a worker, a JavaScript blob or a script element, the
 * counted text takes its place, with the accessors that it needs. A worker's counts come home by inject/homing.mjs.
 */
import {
  Object, Proxy, Reflect, String, URL, WeakMap, apply, attribute, decodeURIComponent, defineProperty, descriptorOf, encodeURIComponent, exec,
  pristine, uncurry, weakGet, weakSet, win,
} from './natives.js';
import { disguise, patch } from './disguise.js';
import { liveRealms } from './realm.js';
import { hearWorker } from './workers.js';
import { accessorsIn, anyShown, withCounters } from './texts.js';
import { accessor } from '../inject/prelude.mjs';
import { MARKER } from '../inject/names.mjs';

const { Blob, XMLHttpRequest } = win;
const { getPrototypeOf } = Object;
const { createObjectURL } = URL;
const openRequest = XMLHttpRequest && uncurry(XMLHttpRequest.prototype.open);
const sendRequest = XMLHttpRequest && uncurry(XMLHttpRequest.prototype.send);

const JAVASCRIPT = /^(?:text|application)\/(?:x-)?(?:java|ecma)script\b/i;
const DATA_URL = /^data:((?:text|application)\/(?:x-)?(?:java|ecma)script[^,]*?)(;base64)?,/i;

/** Installs the replacement of such copies. */
export function installCopies() {
  for (const name of ['Worker', 'SharedWorker']) watchConstructor(name);
  watchScripts();
  patch(URL, 'createObjectURL', (original) => ({
    createObjectURL(source) {
      const url = apply(original, this, arguments);
      return source instanceof Blob && exec(JAVASCRIPT, source.type) ? countedUrl(url) : url;
    },
  }).createObjectURL);
}

/** Ways to set the text of a script element; all but the first are inherited from Element and Node. */
const SCRIPT_TEXTS = ['text', 'textContent', 'innerText', 'innerHTML'];

/** script element -> the text that the app gave it, and the one that it has */
const written = new WeakMap();

function watchScripts() {
  const prototype = win.HTMLScriptElement.prototype;
  for (const name of SCRIPT_TEXTS) {
    let owner = prototype;
    while (owner && !descriptorOf(owner, name)) owner = getPrototypeOf(owner);
    const found = owner && descriptorOf(owner, name);
    if (!found || !found.set) continue;
    const own = {
      get() {
        const text = apply(found.get, this, []);
        const known = weakGet(written, this);
        return known && known.full === text ? known.shown : text;
      },
      set(value) {
        const full = anyShown() && typeof value === 'string' && isRun(this) ? countedCode(value) : value;
        if (full !== value) weakSet(written, this, { full, shown: value });
        return apply(found.set, this, [full]);
      },
    };
    defineProperty(prototype, name, { ...found, get: disguise(own.get, found.get), set: disguise(own.set, found.set) });
  }
}

/** Whether a script element holds code, no data. */
function isRun(script) {
  const type = attribute(script, 'type');
  return !type || type === 'module' || exec(JAVASCRIPT, type) !== null;
}

/** The code with counters, where it holds a copy. */
function countedCode(code) {
  try {
    return pristine(() => withAccessors(code)) || code;
  } catch {
    return code; // its counters are no longer known
  }
}

function watchConstructor(name) {
  const Original = win[name];
  if (typeof Original !== 'function') return;
  patch(win, name, () => new Proxy(Original, {
    construct(target, args, newTarget) {
      if (typeof args[0] === 'string' || args[0] instanceof URL) args[0] = countedUrl(String(args[0]));
      const worker = Reflect.construct(target, args, newTarget);
      if (name === 'Worker') hearWorker(worker);
      return worker;
    },
  }));
  Object.defineProperty(Original.prototype, 'constructor', { value: win[name], writable: true, configurable: true });
}

/** The URL of the same code with counters; the given one where there is nothing to count. */
function countedUrl(url) {
  if (!anyShown()) return url;
  try {
    return pristine(() => (url.startsWith('blob:') ? ofBlob(url) : ofData(url)));
  } catch {
    return url; // a policy forbids to read it, or it is no text: it runs as it is
  }
}

function ofBlob(url) {
  const request = new XMLHttpRequest();
  openRequest(request, 'GET', url, false);
  sendRequest(request);
  const counted = withAccessors(request.responseText);
  if (!counted) return url;
  return createObjectURL(new Blob([counted], { type: request.getResponseHeader('content-type') || '' }));
}

function ofData(url) {
  const match = exec(DATA_URL, url);
  if (!match) return url;
  const body = decodeURIComponent(url.slice(match[0].length));
  const counted = withAccessors(match[2] ? fromBase64(body) : body);
  return counted ? `data:text/javascript;charset=utf-8,${encodeURIComponent(counted)}` : url;
}

const { TextDecoder, atob } = win;

function fromBase64(text) {
  return new TextDecoder().decode(Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0)));
}

/** The counted code with its accessors behind it, so that its directives stay first; '' where nothing is counted. */
function withAccessors(code) {
  const counted = withCounters(code);
  if (counted === code) return '';
  return accessorsIn(counted).map(accessorOf).reduce((all, one) => `${all}\n${one}`, counted);
}

function accessorOf(name) {
  for (const { win: view } of liveRealms()) {
    const key = view.__cvKeys$ && view.__cvKeys$[name];
    const counts = key !== undefined && view.__cov$[key];
    if (counts) return accessor({ name, key, size: counts.length, global: 'globalThis', marker: MARKER });
  }
  throw new Error(`nothing is known of ${name}`);
}
