/** Randomness that a seed decides, so that a run can be repeated. */
import { Math, Uint8Array, apply, getter, win } from './natives.js';
import { patch } from './disguise.js';

/** The mulberry32 generator (Tommy Ettinger, public domain): numbers in [0, 1). */
export function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Replaces Math.random, and the random values of crypto when `crypto` is set. */
export function installRandom(seed, crypto) {
  const next = mulberry32(seed);
  patch(Math, 'random', () => ({ random() { return next(); } }).random);
  if (!crypto || !win.Crypto) return;
  const draw = mulberry32(seed ^ 0x5bd1e995);
  const fill = (view) => {
    const bytes = new Uint8Array(bufferOf(view), offsetOf(view), lengthOf(view));
    for (let i = 0; i < bytes.length; i++) bytes[i] = draw() * 256;
  };
  patch(win.Crypto.prototype, 'getRandomValues', (original) => ({
    getRandomValues(view) {
      const result = apply(original, this, [view]); // checks type and size as the standard has it
      fill(view);
      return result;
    },
  }).getRandomValues);
  patch(win.Crypto.prototype, 'randomUUID', () => ({ randomUUID() { return uuid(draw); } }).randomUUID);
}

const views = Reflect.getPrototypeOf(Uint8Array.prototype);
const bufferOf = getter(views, 'buffer');
const offsetOf = getter(views, 'byteOffset');
const lengthOf = getter(views, 'byteLength');

/** A version 4 UUID (RFC 9562). */
function uuid(draw) {
  let text = '';
  for (let i = 0; i < 32; i++) {
    if (i === 8 || i === 12 || i === 16 || i === 20) text += '-';
    const digit = i === 12 ? 4 : i === 16 ? 8 + Math.floor(draw() * 4) : Math.floor(draw() * 16);
    text += '0123456789abcdef'[digit];
  }
  return text;
}
