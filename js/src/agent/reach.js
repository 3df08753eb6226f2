/** Scrolls to an element and lets the page hear of it first: a scroll event must not race with the gesture. */
import { boxOf, pristine } from './natives.js';
import { realFrame } from './clock.js';
import { pointOf } from './gestures.js';
import { shared } from './realm.js';

/** As `pointOf`; where it took scrolling, a frame has passed, and with it the scroll events. */
export async function reach(element) {
  const before = place(element);
  const at = pristine(() => pointOf(element));
  if (place(element) === before) return at;
  await realFrame(shared.clock.inTask);
  return element.isConnected ? pristine(() => pointOf(element)) : null;
}

const place = (element) => {
  const { left, top } = boxOf(element);
  return `${left},${top}`;
};
