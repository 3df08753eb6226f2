/** Chooses which candidates to describe where there are too many. */

/**
 * At most `limit` of the frames in document order, no family more than its fair share, those in view first; so
 * a table of 5,000 rows does not push out the toolbar.
 */
export function share(frames, limit, viewport) {
  if (frames.length <= limit) return frames;
  const sizes = new Map();
  for (const frame of frames) sizes.set(frame.family, (sizes.get(frame.family) || 0) + 1);
  const cap = fairCap([...sizes.values()], limit);
  const taken = new Map();
  const chosen = new Set();
  for (const inView of [true, false]) {
    for (const frame of frames) {
      if (chosen.size >= limit) break;
      if (isInView(frame, viewport) !== inView) continue;
      const count = taken.get(frame.family) || 0;
      if (count >= cap) continue;
      taken.set(frame.family, count + 1);
      chosen.add(frame);
    }
  }
  return frames.filter((frame) => chosen.has(frame));
}

/** The greatest cap with which all families together stay within the limit; at least 1. */
function fairCap(sizes, limit) {
  let low = 1;
  let high = limit;
  while (low < high) {
    const cap = Math.ceil((low + high) / 2);
    let sum = 0;
    for (const size of sizes) sum += Math.min(size, cap);
    if (sum <= limit) low = cap;
    else high = cap - 1;
  }
  return low;
}

const isInView = ({ box }, [width, height]) => box[0] < width && box[1] < height && box[0] + box[2] > 0 && box[1] + box[3] > 0;
