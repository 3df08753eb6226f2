/** What the instrumenter's counters look like in a function's text, and how a function leads to its counter. */
import { exec, functionText, parse, weakGet, weakSet } from './natives.js';
import { config, liveRealms, shared } from './realm.js';
import { fingerprint } from './fingerprint.js';

import { FIRST_COUNTER } from '../inject/names.mjs';
import { strip } from '../inject/strip.mjs';

export { strip };

/**
 * `[script key, slot]` of the first counter inside a function; `['', text]` for a handler attribute without counters;
 * `['*', fingerprint]` for another function without any, where the configuration asks for it (`texts`); null where nothing is known.
 */
export function locate(fn) {
  if (typeof fn !== 'function') return null;
  const target = unbind(fn);
  let found = weakGet(shared.located, target);
  if (found === undefined) {
    found = read(target);
    weakSet(shared.located, target, found);
  }
  return found;
}

const EMPTY = /^(?:function\b[^{]*|\([^)]*\)\s*=>\s*)\{\s*\}$/;
const SHORT = 200;

/** Whether a function has no statement. */
export function isEmpty(fn) {
  const target = unbind(fn);
  let empty = weakGet(shared.empty, target);
  if (empty === undefined) {
    let text = '';
    try {
      text = functionText(target);
    } catch {
      return false; // a revoked proxy has no text
    }
    empty = text.length < SHORT && EMPTY.test(strip(text));
    weakSet(shared.empty, target, empty);
  }
  return empty;
}

/** The function behind up to eight layers of bind. */
export function unbind(fn) {
  let target = fn;
  for (let i = 0; i < 8; i++) {
    const inner = weakGet(shared.boundFrom, target);
    if (!inner) break;
    target = inner;
  }
  return target;
}

/** A handler attribute brings its accessor along, which names its key: `["NAME"]="page.html#3"`. */
const OWN_KEY = /\["__cv[0-9a-f]{10}"\]=("(?:[^"\\]|\\.)*")/;

/** What Chromium makes of a handler attribute: `function onclick(event) {` and the attribute on lines of its own. */
const FROM_ATTRIBUTE = /^function on[a-z]+\(event\) \{\n([^]*)\n\}$/;
const LONGEST_ATTRIBUTE = 500;

/** `['', text]` of a handler attribute that a script wrote: it has no counter, but it may name a function that has. */
function attributeText(text) {
  const found = exec(FROM_ATTRIBUTE, text);
  return found && found[1].length <= LONGEST_ATTRIBUTE ? ['', found[1]] : null;
}

function read(fn) {
  let match = null;
  let text = '';
  try {
    text = functionText(fn);
    match = exec(FIRST_COUNTER, text);
  } catch {
    return null; // a revoked proxy has no text
  }
  if (!match) return attributeText(text) || (config.texts ? ['*', fingerprint(text)] : null);
  const realms = liveRealms();
  for (let i = 0; i < realms.length; i++) {
    const keys = realms[i].win.__cvKeys$;
    if (keys && keys[match[1]] !== undefined) return [keys[match[1]], +match[2]];
  }
  const own = exec(OWN_KEY, text);
  return [own ? parse(own[1]) : match[1], +match[2]];
}
