/** Hands over what a document knows before it goes: its last hits, and the clock for the next document. */
import { Number, String, addListener, apply, descriptorOf, queueMicrotask, realTimers, stringify, uncurry, win } from './natives.js';
import { patchAccessor } from './disguise.js';
import { newHits } from './coverage.js';
import { isRoot, shared } from './realm.js';

/** Stands in window.name while one document gives way to the next; hidden from the app. */
const MARK = '\u0001explorer-clock:';

const named = descriptorOf(win, 'name');
const indexOf = uncurry(String.prototype.indexOf);
const slice = uncurry(String.prototype.slice);

/** window.name as the app left it, and the clock's time behind it or 0. */
function readName() {
  const full = apply(named.get, win, []);
  const at = indexOf(full, MARK);
  return at < 0 ? [full, 0] : [slice(full, 0, at), Number(slice(full, at + MARK.length)) || 0];
}

/** Puts window.name back as the app left it. */
export function clearMark() {
  const [name, time] = readName();
  if (time) apply(named.set, win, [name]);
  return time;
}

/** Milliseconds that the clock had reached in the document before, 0 for a first one. */
export function inheritedTime() {
  if (!isRoot) return 0;
  const time = clearMark();
  patchAccessor(win, 'name', () => ({ get() { return readName()[0]; } }));
  return time;
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
    // The name has to be set before the next document is asked for; observing clears it if this one stays.
    if (isRoot && !shared.clock.real) apply(named.set, win, [readName()[0] + MARK + shared.clock.now]);
  });
  addListener(win, 'pagehide', send);
}
