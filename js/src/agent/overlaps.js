/** Texts that are painted over each other. */
import { Math } from './natives.js';
import { paintsBehind } from './colours.js';
import { deepestAt, parentOf, reaches } from './hits.js';

const MOST_PAIRS = 20;
/** Part of the smaller line that must be shared, and pixels in each direction. */
const SHARE = 0.2;
const PIXELS = 4;

/**
 * Pairs of `{frame, boxes, text}` that can be seen to lie over each other, each with the box that both share:
 * `[one, other, [x, y, w, h]]`. Only what the viewport shows is looked at.
 */
export function overlapping(texts) {
  const lines = texts.flatMap((text) => text.boxes.map((box) => ({ text, box }))).sort((a, b) => a.box[1] - b.box[1]);
  const pairs = [];
  for (let i = 0; i < lines.length && pairs.length < MOST_PAIRS; i++) {
    for (let j = i + 1; j < lines.length && lines[j].box[1] < lines[i].box[1] + lines[i].box[3]; j++) {
      const [one, other] = [lines[i].text, lines[j].text];
      const box = one === other ? null : shared(lines[i].box, lines[j].box);
      if (!box || related(one.frame, other.frame) || !bothSeen(one.frame.element, other.frame.element, box)) continue;
      pairs.push([one, other, box.map(Math.round)]);
      break;
    }
  }
  return pairs;
}

/** The box that two lines share where it is a good part of the smaller one, or null. */
function shared([ax, ay, aw, ah], [bx, by, bw, bh]) {
  const x = Math.max(ax, bx);
  const y = Math.max(ay, by);
  const w = Math.min(ax + aw, bx + bw) - x;
  const h = Math.min(ay + ah, by + bh) - y;
  return w >= PIXELS && h >= PIXELS && w * h >= SHARE * Math.min(aw * ah, bw * bh) ? [x, y, w, h] : null;
}

/** Whether one is inside the other: tight line heights make these touch. */
function related(one, other) {
  for (let at = one; at; at = at.parent) if (at === other) return true;
  for (let at = other; at; at = at.parent) if (at === one) return true;
  return false;
}

/** Whether nothing opaque lies between the two texts at the place that both share. */
function bothSeen(one, other, [x, y, w, h]) {
  const top = deepestAt(x + w / 2, y + h / 2);
  const upper = top && [one, other].find((element) => reaches(element, top));
  if (!upper) return false;
  const lower = upper === one ? other : one;
  for (let at = upper; at && at.nodeType === 1; at = parentOf(at)) {
    if (reaches(at, lower)) return true;
    if (paintsBehind(at)) return false;
  }
  return true;
}
