/** Which texts of counted functions the app was shown, and the counted text behind each. */
import { Map, Set, exec, pristine } from './natives.js';
import { ACCESSOR, BUILT_COUNTER } from '../inject/names.mjs';

/** Functions and characters that are remembered; the oldest are forgotten first. */
const MOST = 500;
const LONGEST = 4e6;
/** A body alone is looked for where it has at least so many characters. */
const SHORTEST_BODY = 20;

/** shown text -> counted text, in the order in which they were shown */
const shownTexts = new Map();
let characters = 0;

/** Counters of a source that was built call an accessor by a name that only its bundle knows: by their own name then. */
const BUILT = new RegExp(BUILT_COUNTER, 'g');
const NAMED = new RegExp(`\\.(${ACCESSOR})\\[`);
const byName = (counter) => counter.replace(NAMED, (_, name) => `.${name}()[`).replace(/^[\w$]+\(\)\./, '');

/** Notes that the app was shown `shown` for a function whose text is `full`. */
export function remember(shown, full) {
  if (shown === full || shownTexts.has(shown) || shown.length > LONGEST) return;
  shownTexts.set(shown, full.replace(BUILT, byName));
  characters += shown.length;
  while (shownTexts.size > MOST || characters > LONGEST) {
    const oldest = shownTexts.keys().next().value;
    shownTexts.delete(oldest);
    characters -= oldest.length;
  }
}

/** Whether there is anything to look for. */
export const anyShown = () => shownTexts.size > 0;

/** The same code with counted texts in place of those that were shown; the same string where there are none. */
export function withCounters(code) {
  const pairs = [...shownTexts].sort((a, b) => b[0].length - a[0].length);
  let counted = code;
  for (const [shown, full] of pairs) counted = putIn(counted, shown, full);
  for (const [shown, full] of pairs) {
    const body = bodyOf(shown);
    if (body.length >= SHORTEST_BODY) counted = putIn(counted, body, bodyOf(full));
  }
  return counted;
}

const putIn = (code, shown, full) => (code.includes(shown) ? code.split(shown).join(full) : code);

/** What stands between the first and the last brace: how libraries take a function's body. */
function bodyOf(text) {
  const open = text.indexOf('{');
  return open < 0 ? '' : text.slice(open + 1, text.lastIndexOf('}')).trim();
}

/** Names of the accessors that a counted code calls. */
export function accessorsIn(code) {
  return [...new Set(code.match(new RegExp(ACCESSOR, 'g')) || [])];
}
