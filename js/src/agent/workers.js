/** Takes in the counts that workers send home; see inject/homing.mjs. */
import { Event, addListener, uncurry, win } from './natives.js';
import { carry } from './unload.js';
import { CHANNEL } from '../inject/homing.mjs';

/** Listens for as long as the document lives. */
export function hearWorkers() {
  try {
    addListener(new win.BroadcastChannel(CHANNEL), 'message', ({ data }) => carry(data));
  } catch {
    // no channel, no news: a document without an origin
  }
}

const stop = uncurry(Event.prototype.stopImmediatePropagation);

/** Listens to one worker before the app does: where it has no channel, counts come as messages that the app never sees. */
export function hearWorker(worker) {
  addListener(worker, 'message', (event) => {
    const { data } = event;
    if (!data || typeof data !== 'object' || !(CHANNEL in data)) return;
    stop(event);
    carry(data[CHANNEL]);
  });
}
