/** Reads which counters became non-zero since the last read. */
import { isAlive, shared } from './realm.js';

/** `{scriptKey: [slots]}`: newly non-zero slots of one document's counters. */
export function newHits(realm) {
  const hits = {};
  const counters = realm.counters || realm.win.__cov$;
  for (const key of counters ? Object.keys(counters) : []) note(hits, realm.seen, key, counters[key]);
  for (const name of globalsOf(realm.config.istanbul)) {
    const files = realm.win[name];
    if (!files || typeof files !== 'object') continue;
    for (const path of Object.keys(files)) note(hits, realm.seen, path, flatten(files[path]));
  }
  return hits;
}

/** Names of the globals of an app that arrives instrumented by Istanbul. */
function globalsOf(given) {
  if (!given) return [];
  return given === true ? ['__coverage__'] : given;
}

function note(hits, seen, key, counts) {
  let known = seen.get(key);
  if (!known || known.slots.length !== counts.length) {
    seen.set(key, (known = { slots: new Uint8Array(counts.length), sum: 0 }));
  }
  const slots = newSlots(known.slots, counts);
  if (slots.length) hits[key] = slots;
  const sum = sumOf(counts);
  if (sum !== known.sum) shared.ran = true;
  known.sum = sum;
}

function sumOf(counts) {
  let sum = 0;
  for (let i = 0; i < counts.length; i++) sum += counts[i];
  return sum;
}

function newSlots(known, counts) {
  const slots = [];
  for (let i = 0; i < counts.length; i++) {
    if (counts[i] !== 0 && known[i] === 0) {
      known[i] = 1;
      slots.push(i);
    }
  }
  return slots;
}

/** Istanbul's counts of one file in the order of our slots: statements, functions, branch arms. */
function flatten({ s, f, b }) {
  const counts = [];
  for (const id of Object.keys(s)) counts.push(s[id]);
  for (const id of Object.keys(f)) counts.push(f[id]);
  for (const id of Object.keys(b)) counts.push(...b[id]);
  return counts;
}

/** Keeps hold of a document's counters beyond its end: its window will be the next document's. */
export function holdCounters(realm) {
  realm.counters = realm.win.__cov$;
}

/** New hits of all documents of the tab; those of documents that are gone for the last time. */
export function allNewHits() {
  const merged = {};
  const realms = shared.realms;
  shared.realms = realms.filter(isAlive);
  for (const realm of realms) {
    if (!realm.counters && !isAlive(realm)) continue;
    const hits = newHits(realm);
    for (const key of Object.keys(hits)) merged[key] = merged[key] ? union(merged[key], hits[key]) : hits[key];
  }
  return merged;
}

/** Whether any counter of the tab grew since the last call, new hit or not; ask after `allNewHits`. */
export function takeRan() {
  const { ran } = shared;
  shared.ran = false;
  return ran;
}

const union = (a, b) => [...new Set([...a, ...b])].sort((x, y) => x - y);
