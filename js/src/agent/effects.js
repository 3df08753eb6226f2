/** Counts what the app does besides changing the DOM, and keeps account of work that it waits for. */
import { Document, Proxy, Reflect, addListener, listen, append, apply, isConnected, pristine, realNow, then, win } from './natives.js';
import { patch, patchAccessor } from './disguise.js';
import { shared } from './realm.js';

const { effects } = shared;

/** Notes the start of some work of the browser; call the result when it is done. */
export function begin(entry = {}) {
  append(shared.pending, entry);
  return () => {
    entry.done = true;
  };
}

/** Notes a promise of the browser as work until it settles. */
function beginPromise(promise) {
  const end = begin();
  if (promise && typeof promise.then === 'function') then(promise, end, end);
  else end();
  return promise;
}

/** Work that has not ended and has not been given up. */
export function pendingCount() {
  let kept = 0;
  const list = shared.pending;
  for (let i = 0; i < list.length; i++) {
    const entry = list[i];
    if (entry.done || entry.stale || (entry.until && realNow() > entry.until)) continue;
    list[kept++] = entry;
  }
  list.length = kept;
  let waiting = 0;
  for (let i = 0; i < kept; i++) if (!list[i].node || isConnected(list[i].node)) waiting++;
  return waiting;
}

/** Gives up waiting for what has not ended until now: a stream, a poll that hangs. */
export function giveUp() {
  for (let i = 0; i < shared.pending.length; i++) shared.pending[i].stale = true;
}

/** Patches method `name` so that `effect` is counted with every call. */
function counted(owner, name, effect) {
  patch(owner, name, (original) => ({
    [name]() {
      effects[effect]++;
      return apply(original, this, arguments);
    },
  })[name]);
}

/** Patches methods that give promises, so that settling waits for them. */
function awaited(owner, names) {
  for (const name of names) {
    patch(owner, name, (original) => ({
      [name]() { return beginPromise(apply(original, this, arguments)); },
    })[name]);
  }
}

/** Installs the counts of this document. */
export function installEffects() {
  watchNetwork();
  watchStorage();
  watchNavigation();
  watchMedia();
  watchWork();
}

function watchNetwork() {
  patch(win, 'fetch', (original) => ({
    fetch() {
      effects.requests++;
      return beginPromise(apply(original, win, arguments));
    },
  }).fetch);
  awaited(win.Response && win.Response.prototype, ['json', 'text', 'arrayBuffer', 'blob', 'formData', 'bytes']);
  patch(win.XMLHttpRequest && win.XMLHttpRequest.prototype, 'send', (original) => ({
    send() {
      effects.requests++;
      const end = begin();
      addListener(this, 'loadend', end, { once: true });
      try {
        return apply(original, this, arguments);
      } catch (error) {
        end();
        throw error;
      }
    },
  }).send);
  counted(win.Navigator.prototype, 'sendBeacon', 'requests');
  countConstructions('WebSocket', 'requests');
  countConstructions('EventSource', 'requests');
}

/** Replaces a constructor by one that counts. */
function countConstructions(name, effect) {
  const Original = win[name];
  if (typeof Original !== 'function') return;
  patch(win, name, () => new Proxy(Original, {
    construct(target, args, newTarget) {
      effects[effect]++;
      return Reflect.construct(target, args, newTarget);
    },
  }));
}

function watchStorage() {
  const storage = win.Storage && win.Storage.prototype;
  for (const name of ['setItem', 'removeItem', 'clear']) counted(storage, name, 'storage');
  patchAccessor(Document.prototype, 'cookie', (get, set) => ({
    set: set && {
      set(value) {
        effects.storage++;
        return apply(set, this, [value]);
      },
    }.set,
  }));
  const store = win.IDBObjectStore && win.IDBObjectStore.prototype;
  for (const name of ['add', 'put', 'delete', 'clear']) counted(store, name, 'storage');
  if (win.CookieStore) for (const name of ['set', 'delete']) counted(win.CookieStore.prototype, name, 'storage');
}

function watchNavigation() {
  for (const name of ['pushState', 'replaceState']) counted(win.History.prototype, name, 'navigations');
  for (const type of ['hashchange', 'popstate']) listen(type, () => effects.navigations++);
}

function watchMedia() {
  counted(win.HTMLMediaElement && win.HTMLMediaElement.prototype, 'play', 'media');
  const clipboard = win.Clipboard && win.Clipboard.prototype;
  for (const name of ['write', 'writeText']) counted(clipboard, name, 'media');
  counted(win.AudioScheduledSourceNode && win.AudioScheduledSourceNode.prototype, 'start', 'media');
  counted(win.AudioBufferSourceNode && win.AudioBufferSourceNode.prototype, 'start', 'media');
  counted(win.SpeechSynthesis && win.SpeechSynthesis.prototype, 'speak', 'media');
  for (const name of ['vibrate', 'share']) counted(win.Navigator.prototype, name, 'media');
  countConstructions('Notification', 'media');
  patch(Document.prototype, 'execCommand', (original) => ({
    execCommand(command) {
      if (/^(copy|cut)$/i.test(command)) effects.media++;
      return apply(original, this, arguments);
    },
  }).execCommand);
}

/** Work in the background whose end changes the page: databases, files, pictures, scripts, workers. */
function watchWork() {
  awaited(win.Blob.prototype, ['text', 'arrayBuffer', 'bytes']);
  awaited(win.SubtleCrypto && win.SubtleCrypto.prototype,
    ['digest', 'encrypt', 'decrypt', 'sign', 'verify', 'importKey', 'exportKey', 'generateKey', 'deriveBits', 'deriveKey']);
  awaited(win.HTMLImageElement.prototype, ['decode']);
  awaited(win.BaseAudioContext && win.BaseAudioContext.prototype, ['decodeAudioData']);
  awaited(win.CacheStorage && win.CacheStorage.prototype, ['open', 'match', 'has', 'keys', 'delete']);
  awaited(win.Cache && win.Cache.prototype, ['match', 'matchAll', 'put', 'add', 'addAll', 'keys', 'delete']);
  awaited(win, ['createImageBitmap']);
  awaited(win.WebAssembly, ['compile', 'instantiate', 'compileStreaming', 'instantiateStreaming']);
  watchDatabases();
  watchResources();
  for (const name of ['readAsText', 'readAsDataURL', 'readAsArrayBuffer', 'readAsBinaryString']) {
    untilEvents(win.FileReader && win.FileReader.prototype, name, ['loadend'], (reader) => reader);
  }
  watchLoads(win.HTMLImageElement.prototype, (image) => (image.loading === 'lazy' ? null : {}));
  watchLoads(win.HTMLScriptElement.prototype, (script) => ({ node: script }));
  watchWorkers();
}

const SCRIPT = /\.m?js(\?|$)/;

function watchResources() {
  const { PerformanceObserver } = win;
  if (!PerformanceObserver) return;
  const observer = new PerformanceObserver((list) => pristine(() => {
    const entries = list.getEntries();
    shared.loaded += entries.length;
    if (entries.some((entry) => SCRIPT.test(entry.name))) shared.scriptCame = realNow();
  }));
  observer.observe({ type: 'resource' });
}

function watchDatabases() {
  const factory = win.IDBFactory && win.IDBFactory.prototype;
  for (const name of ['open', 'deleteDatabase']) untilEvents(factory, name, ['success', 'error', 'blocked'], (_, request) => request);
  untilEvents(win.IDBDatabase && win.IDBDatabase.prototype, 'transaction', ['complete', 'abort', 'error'], (_, transaction) => transaction);
}

/** The call begins work that ends with one of the events at `targetOf(this, result)`. */
function untilEvents(owner, name, types, targetOf) {
  patch(owner, name, (original) => ({
    [name]() {
      const result = apply(original, this, arguments);
      const end = begin();
      const target = targetOf(this, result);
      for (let i = 0; i < types.length; i++) addListener(target, types[i], end);
      return result;
    },
  })[name]);
}

/** Setting `src` begins a load. */
function watchLoads(prototype, entryOf) {
  patchAccessor(prototype, 'src', (get, set) => ({
    set: {
      set(value) {
        const entry = value ? entryOf(this) : null;
        if (entry) {
          const end = begin(entry);
          addListener(this, 'load', end, { once: true });
          addListener(this, 'error', end, { once: true });
        }
        return apply(set, this, [value]);
      },
    }.set,
  }));
}

/** Milliseconds of real time that a worker is given to answer a message. */
const WORKER_MS = 150;

function watchWorkers() {
  patch(win.Worker && win.Worker.prototype, 'postMessage', (original) => ({
    postMessage() {
      const end = begin({ until: realNow() + WORKER_MS });
      addListener(this, 'message', end, { once: true });
      return apply(original, this, arguments);
    },
  }).postMessage);
}

/** Counts since the last call. */
export function takeEffects() {
  const { requests, storage, mutations, navigations, media, prints, closes } = effects;
  for (const name of Object.keys(effects)) effects[name] = 0;
  return { requests, storage, mutations, navigations, media: media + prints, prints, closes };
}

