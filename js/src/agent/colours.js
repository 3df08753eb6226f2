/** Colours as they are painted, and their contrast (WCAG 2.2, relative luminance and contrast ratio). */
import { Map, getComputedStyle } from './natives.js';

const WHITE = [255, 255, 255, 1];
const MOST_ANCESTORS = 200;

/** `[red, green, blue, alpha]` of a computed colour, or null for one in another colour space. */
export function rgba(text) {
  const found = /^rgba?\(([\d.]+)[, ]+([\d.]+)[, ]+([\d.]+)(?:[,/ ]+([\d.]+))?\)$/.exec(text);
  return found && [+found[1], +found[2], +found[3], found[4] === undefined ? 1 : +found[4]];
}

/** A colour with alpha over an opaque one. */
export function over(top, below) {
  const alpha = top[3];
  return [0, 1, 2].map((i) => top[i] * alpha + below[i] * (1 - alpha)).concat(1);
}

/** Contrast ratio of two opaque colours, 1 to 21. */
export function contrast(one, other) {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour) {
  const [r, g, b] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/**
 * Works out what is painted behind a frame's content, and how much of that content shows: `behind(frame)` is
 * `{colour, through, alpha}`, the opaque colour behind it and what the content is blended with to which part where it is
 * see-through as a whole; null where pictures, gradients or filters keep it from being told.
 */
export function backgrounds() {
  const known = new Map();
  return function behind(frame) {
    const path = [];
    let found;
    for (let at = frame; at && path.length < MOST_ANCESTORS; at = at.parent) {
      found = known.get(at);
      if (found !== undefined) break;
      path.push(at);
    }
    if (found === undefined) found = { colour: WHITE, through: WHITE, alpha: 1 };
    while (path.length) {
      const at = path.pop();
      found = found && painted(at, found);
      known.set(at, found);
    }
    return found;
  };
}

/** Text of a colour as it shows on what is behind it. */
export function shown(colour, behind) {
  const inked = over(colour, behind.colour);
  return behind.alpha === 1 ? inked : over([...inked.slice(0, 3), behind.alpha], behind.through);
}

/** What is behind the content of one element, by what is behind the element. */
function painted(frame, below) {
  const style = getComputedStyle(frame.element);
  const own = rgba(style.backgroundColor);
  if (style.filter !== 'none' || style.mixBlendMode !== 'normal' || style.backgroundImage !== 'none' || own === null) return null;
  // Lifted out of the flow, it may lie over anything.
  const lifted = style.position === 'fixed' || style.position === 'absolute';
  if (lifted && own[3] !== 1) return null;
  const opacity = parseFloat(style.opacity);
  if (opacity === 1) return own[3] === 0 ? below : { ...below, colour: own[3] === 1 ? own : over(own, below.colour) };
  if (below.alpha !== 1) return null; // one veil over another: not worked out
  const colour = over(own, below.colour);
  return { colour, through: below.colour, alpha: opacity };
}

/** Whether an element paints something behind its content. */
export function paintsBehind(element) {
  const style = getComputedStyle(element);
  const own = rgba(style.backgroundColor);
  return style.backgroundImage !== 'none' || own === null || own[3] > 0.5;
}
