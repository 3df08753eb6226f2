/**
 * Code that the app makes of its own functions' text: workers and modules from blob: and data: URLs.
 *
 * The app sees its functions without counters (disguise.js), so such copies would run uncounted. What the app was
 * shown is remembered; where that text comes back as the code of a worker or of a JavaScript blob, the counted text
 * takes its place, with the accessors that it needs. Its counts come home by way of inject/homing.mjs.
 */
import { Object, Proxy, Reflect, String, URL, apply, decodeURIComponent, encodeURIComponent, exec, pristine, uncurry, win } from './natives.js';
import { patch } from './disguise.js';
import { liveRealms } from './realm.js';
import { hearWorker } from './workers.js';
import { accessorsIn, anyShown, withCounters } from './texts.js';
import { accessor } from '../inject/prelude.mjs';
import { MARKER } from '../inject/names.mjs';

const { Blob, XMLHttpRequest } = win;
const { createObjectURL } = URL;
const openRequest = XMLHttpRequest && uncurry(XMLHttpRequest.prototype.open);
const sendRequest = XMLHttpRequest && uncurry(XMLHttpRequest.prototype.send);

const JAVASCRIPT = /^(?:text|application)\/(?:x-)?(?:java|ecma)script\b/i;
const DATA_URL = /^data:((?:text|application)\/(?:x-)?(?:java|ecma)script[^,]*?)(;base64)?,/i;

/** Installs the replacement of such copies. */
export function installCopies() {
  for (const name of ['Worker', 'SharedWorker']) watchConstructor(name);
  patch(URL, 'createObjectURL', (original) => ({
    createObjectURL(source) {
      const url = apply(original, this, arguments);
      return source instanceof Blob && exec(JAVASCRIPT, source.type) ? countedUrl(url) : url;
    },
  }).createObjectURL);
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
