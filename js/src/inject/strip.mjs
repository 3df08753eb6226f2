// Takes all counters out of a text again: what a function's text was before it was instrumented.
import { ACCESSOR, ALIAS, COUNTER, MARKER as M } from './names.mjs';

const NAME = '\\["(?:[^"\\\\]|\\\\.)*"\\]';

/** All that is ever inserted; see the forms in edits.mjs. */
const INSERTED = new RegExp(
  [
    `function ${ACCESSOR}\\(\\)\\{var g=.*?${M}\\}`,
    `else\\{${COUNTER}\\}`,
    `;\\{${COUNTER}\\}`,
    `${M}static\\{${COUNTER}\\}`,
    `${M}#${ALIAS}\\d+=${COUNTER};`,
    `\\(${COUNTER},(?:${M}\\{${NAME}:)?`,
    `${M}\\}${NAME}\\)`,
    `${M}[{})]`,
    `${M}?${COUNTER}[;,]`,
  ].join('|'),
  'g',
);

/**
 * Exact for every text that `instrument` made, and for every piece of one that is a node of the source, such as
 * `Function.prototype.toString` gives.
 *
 * @param {string} text
 * @returns {string}
 */
export function strip(text) {
  return text.includes('_cv') ? text.replace(INSERTED, '') : text;
}

/** Whether a source text could not be told from inserted text: it has the marker before a bracket or a counter's name. */
export function isAmbiguous(code) {
  return code.includes(M) && new RegExp(`${M}(?:[{})#]|static|${ACCESSOR})`).test(code);
}
