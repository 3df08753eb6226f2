// Takes all counters out of a text again: what a function's text was before it was instrumented.
import { ACCESSOR } from './names.mjs';

const COUNTER = `${ACCESSOR}\\(\\)\\[\\d+\\]\\+\\+`;
const NAME = '\\["(?:[^"\\\\]|\\\\.)*"\\]';

/** Markers that edits.mjs may choose from; the first is the usual one. */
export const MARKERS = ['\v', '\f', '\u2003', '\u2005'];

/** All inserted forms, by the marker in use. */
function pattern(m) {
  return new RegExp(
    [
      `function ${ACCESSOR}\\(\\)\\{[^\\n]*?${m}\\}`,
      `else\\{${COUNTER}\\}`,
      `;\\{${COUNTER}\\}`,
      `${m}static\\{${COUNTER}\\}`,
      `${m}#_${ACCESSOR}=${COUNTER};`,
      `\\(${COUNTER},(?:${m}\\{${NAME}:)?`,
      `${m}\\}${NAME}\\)`,
      `${m}[{})]`,
      `${m}?${COUNTER}[;,]`,
    ].join('|'),
    'g',
  );
}

const PATTERNS = new Map(MARKERS.map((marker) => [marker, pattern(marker)]));
const OTHER_MARKER = new RegExp(`([${MARKERS.slice(1).join('')}])${ACCESSOR}`);

/**
 * Exact for every text that `instrument` made and for every piece of one that begins and ends with a node
 * of the source, such as `Function.prototype.toString` gives.
 *
 * @param {string} text
 * @returns {string}
 */
export function strip(text) {
  if (!text.includes('__cv')) return text;
  return text.replace(PATTERNS.get('\v'), '');
}
