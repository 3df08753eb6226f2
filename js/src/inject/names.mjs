// What inserted text is made of, so that it can be told from the app's own.

/** What a script's accessor looks like. */
export const ACCESSOR = '__cv[0-9a-f]{10}';

/** The variable that holds the array within a function. */
export const ALIAS = '_cv';

/**
 * Stands before each inserted bracket: a vertical tab, which is white space to JavaScript, ends no line, and is
 * in practice absent from source text.
 */
export const MARKER = '\v';

/** A string literal that is safe within an inline script too. */
export function quoted(text) {
  return JSON.stringify(text).replaceAll('<', '\\u003c');
}

/** What a counter looks like: of five forms, with accessor or variable, and in a source that is yet to be built. */
export const COUNTER = `(?:(?:var ${ALIAS}=)?${ACCESSOR}\\(\\)(?:;${ALIAS}|\\.${ACCESSOR})?|${ALIAS})\\[\\d+\\]\\+\\+`;

/** What a counter of a source looks like once it was built: `a().NAME[slot]++`, whatever the accessor is called by then. */
export const BUILT_COUNTER = `[\\w$]+\\(\\)\\.${ACCESSOR}\\[\\d+\\]\\+\\+`;

/**
 * The first counter in a function's own text that names its script: groups are accessor and slot. In built sources it
 * reads `a().NAME[slot]++`: bundlers rename the accessor, but no property. A printer between (Babel in the page) puts white
 * space after the semicolon.
 */
export const FIRST_COUNTER = new RegExp(`(${ACCESSOR})(?:\\(\\)(?:;\\s*${ALIAS})?)?\\s*\\[(\\d+)\\]`);

/**
 * Name of a script's accessor: `__cv` and ten hex digits of the key's hash, so that scripts that share a
 * global scope do not meet.
 *
 * @param {string} key
 * @returns {string}
 */
export function accessorName(key) {
  const high = fnv1a(key, 0x811c9dc5);
  const low = fnv1a(key, high ^ 0x9e3779b9);
  return '__cv' + hex(high, 8) + hex(low & 0xff, 2);
}

/** FNV-1a over UTF-16 units, with a last mix so that near keys differ in all digits. */
function fnv1a(text, seed) {
  let hash = seed;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    hash = Math.imul(hash ^ (unit & 0xff), 0x01000193);
    hash = Math.imul(hash ^ (unit >>> 8), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function hex(number, digits) {
  return number.toString(16).padStart(digits, '0').slice(-digits);
}
