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
 * Works out what is painted behind a frame's content: an opaque colour, or null where pictures, gradients, filters or
 * transparency keep it from being told. `behind(frame)`.
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
    if (found === undefined) found = WHITE;
    while (path.length) {
      const at = path.pop();
      found = painted(at, found);
      known.set(at, found);
    }
    return found;
  };
}

/** The background of one element over what is behind it. */
function painted(frame, below) {
  const style = getComputedStyle(frame.element);
  const own = rgba(style.backgroundColor);
  const veiled = style.opacity !== '1' || style.filter !== 'none' || style.mixBlendMode !== 'normal';
  if (veiled || style.backgroundImage !== 'none' || own === null) return null;
  if (own[3] === 1) return own;
  if (own[3] === 0) {
    // Lifted out of the flow, it may lie over anything.
    return style.position === 'fixed' || style.position === 'absolute' ? null : below;
  }
  return below && over(own, below);
}

/** Whether an element paints something behind its content. */
export function paintsBehind(element) {
  const style = getComputedStyle(element);
  const own = rgba(style.backgroundColor);
  return style.backgroundImage !== 'none' || own === null || own[3] > 0.5;
}
