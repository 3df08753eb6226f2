/** A fast digest of text: 53 bits, after "cyrb53" (public domain); not for secrets. */
import { Math } from './natives.js';

/** Fourteen hex digits that stand for a text. */
export function digest(text) {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (b >>> 0).toString(16).padStart(8, '0').slice(-6) + (a >>> 0).toString(16).padStart(8, '0');
}
