/** What stands for a function's text where it has no counters; explorer/functiontexts.py has the same. */
import { uncurry } from './natives.js';

const ENDS = 48;
const unitAt = uncurry(String.prototype.charCodeAt);

/** Length of a text and a hash (FNV-1a, 32 bits) of the UTF-16 units at both its ends. */
export function fingerprint(text) {
  const { length } = text;
  let hash = 0x811c9dc5;
  const add = (from, to) => {
    for (let i = from; i < to; i++) {
      const unit = unitAt(text, i);
      hash = Math.imul(hash ^ (unit & 0xff), 0x01000193);
      hash = Math.imul(hash ^ (unit >>> 8), 0x01000193);
    }
  };
  add(0, Math.min(ENDS, length));
  add(Math.max(0, length - ENDS), length);
  return `${length}.${(hash >>> 0).toString(16)}`;
}
