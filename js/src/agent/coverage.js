/** Reads which counters became non-zero since the last read. */
import { config, liveRealms } from './realm.js';

/** `{scriptKey: [slots]}`: newly non-zero slots of one document's counters. */
export function newHits(realm) {
  const counters = realm.win.__cov$;
  const hits = {};
  if (!counters) return hits;
  for (const key of Object.keys(counters)) {
    const slots = newSlots(realm.seen, key, counters[key]);
    if (slots.length) hits[key] = slots;
  }
  return hits;
}

function newSlots(seen, key, array) {
  let known = seen.get(key);
  if (!known || known.length !== array.length) seen.set(key, (known = new Uint8Array(array.length)));
  const slots = [];
  for (let i = 0; i < array.length; i++) {
    if (array[i] !== 0 && known[i] === 0) {
      known[i] = 1;
      slots.push(i);
    }
  }
  return slots;
}

/** New hits of all documents of the tab. */
export function allNewHits() {
  const merged = {};
  for (const realm of liveRealms()) {
    const hits = newHits(realm);
    for (const key of Object.keys(hits)) merged[key] = merged[key] ? union(merged[key], hits[key]) : hits[key];
  }
  return merged;
}

const union = (a, b) => [...new Set([...a, ...b])].sort((x, y) => x - y);

/**
 * The same for an app that arrives instrumented by Istanbul: `{path: {s, f, b}}`, ids as Istanbul has them,
 * branch arms as "id.arm".
 */
export function newIstanbulHits() {
  const merged = {};
  if (!config.istanbul) return merged;
  for (const realm of liveRealms()) {
    const files = realm.win.__coverage__;
    if (!files || typeof files !== 'object') continue;
    realm.istanbul ??= new Set();
    for (const path of Object.keys(files)) {
      const hits = fileHits(files[path], path, realm.istanbul);
      if (hits) merged[path] = hits;
    }
  }
  return merged;
}

function fileHits(file, path, seen) {
  const hits = { s: [], f: [], b: [] };
  for (const kind of ['s', 'f', 'b']) {
    const counts = file[kind] || {};
    for (const id of Object.keys(counts)) {
      const arms = kind === 'b' ? counts[id] : [counts[id]];
      for (let arm = 0; arm < arms.length; arm++) {
        const name = kind === 'b' ? `${id}.${arm}` : id;
        const mark = `${kind}${name}|${path}`;
        if (!arms[arm] || seen.has(mark)) continue;
        seen.add(mark);
        hits[kind].push(name);
      }
    }
  }
  return hits.s.length + hits.f.length + hits.b.length ? hits : null;
}
