/** Stands in for what would stop a run: printing, file pickers, pointer lock, full screen. */
import {
  Document, Element, Event, Math, Promise, String, WeakMap, listen, apply, dispatch, realNow, weakGet, weakSet, win,
} from './natives.js';
import { begin } from './effects.js';
import { patch, patchAccessor } from './disguise.js';
import { realm, shared } from './realm.js';

const { effects } = shared;

/** Real milliseconds that a window is given to close, and a new one to open: the driver hears of it in that time. */
const CLOSING_MS = 300;
const OPENING_MS = 100;

/** Installs the stand-ins of this document. */
export function installStubs(beforeClose) {
  patch(win, 'print', () => ({
    print() {
      effects.prints++;
      dispatch(win, new Event('beforeprint'));
      dispatch(win, new Event('afterprint'));
    },
  }).print);
  patch(win, 'close', (original) => ({
    close() {
      effects.closes++;
      begin({ until: realNow() + CLOSING_MS });
      beforeClose();
      return apply(original, win, []);
    },
  }).close);
  watchOpening();
  stubPickers();
  stubTaking({ request: 'requestPointerLock', exit: 'exitPointerLock', element: 'pointerLockElement', event: 'pointerlockchange' });
  stubTaking({ request: 'requestFullscreen', exit: 'exitFullscreen', element: 'fullscreenElement', event: 'fullscreenchange' });
}

function watchOpening() {
  patch(win, 'open', (original) => ({
    open() {
      begin({ until: realNow() + OPENING_MS });
      return apply(original, win, arguments);
    },
  }).open);
  listen('click', (event) => {
    const link = event.target && event.target.closest && event.target.closest('a[target], area[target], button[formtarget], form[target] [type="submit"]');
    if (link) begin({ until: realNow() + OPENING_MS });
  }, true);
}

/** Requests that take the screen or the pointer: granted at once, in name only. */
function stubTaking({ request, exit, element, event }) {
  const holders = new WeakMap();
  const change = (document, holder) => {
    weakSet(holders, document, holder);
    effects.media++;
    shared.clock.add(realm, () => dispatch(document, new Event(event, { bubbles: true })), 0, false, null);
  };
  patch(Element.prototype, request, () => ({
    [request]() {
      change(this.ownerDocument, this);
      return Promise.resolve();
    },
  })[request]);
  patch(Document.prototype, exit, () => ({
    [exit]() {
      if (weakGet(holders, this)) change(this, null);
      return Promise.resolve();
    },
  })[exit]);
  patchAccessor(Document.prototype, element, () => ({ get() { return weakGet(holders, this) || null; } }));
}

/** File pickers answer with a small file in memory. */
function stubPickers() {
  const { File } = win;
  const handle = (name) => {
    let text = '{"items": [{"id": 1, "name": "Sample"}]}\n';
    const file = () => new File([text], name, { type: 'application/json', lastModified: Math.floor(shared.clock.now) });
    return {
      kind: 'file',
      name,
      getFile: async () => file(),
      createWritable: async () => ({
        write: async (data) => { text = typeof data === 'string' ? data : String((data && data.data) ?? data); },
        seek: async () => {},
        truncate: async () => {},
        close: async () => {},
        abort: async () => {},
      }),
      queryPermission: async () => 'granted',
      requestPermission: async () => 'granted',
      isSameEntry: async (other) => !!other && other.name === name,
    };
  };
  const answer = (name, make) => patch(win, name, () => ({
    [name](options) {
      effects.media++;
      return Promise.resolve(make(options || {}));
    },
  })[name]);
  answer('showOpenFilePicker', () => [handle('sample.json')]);
  answer('showSaveFilePicker', (options) => handle(options.suggestedName || 'sample.json'));
}

