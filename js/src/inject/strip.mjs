// Takes all counters out of a text again: what a function's text was before it was instrumented.
import { ACCESSOR, ALIAS, BUILT_COUNTER, COUNTER, MARKER as M } from './names.mjs';

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

const BUILT = new RegExp(`\\{${BUILT_COUNTER};?\\}|${BUILT_COUNTER}(,)?`, 'g');

/** Counters that a bundler took in stand in no brackets of ours; where one stood alone a number takes its place. */
const withoutBuilt = (text) =>
  text.replace(BUILT, (whole, behind) => (whole[0] === '{' ? '{}' : behind === undefined ? '0' : ''));

/**
 * Exact for every text that `instrument` made, and for every piece of one that is a node of the source, such as
 * `Function.prototype.toString` gives; of built sources the same meaning, in other words.
 *
 * @param {string} text
 * @returns {string}
 */
export function strip(text) {
  if (!text.includes('_cv')) return text;
  // A bundler that prints code anew leaves no marker.
  return text.includes('.__cv') && !text.includes(M) ? withoutBuilt(text) : text.replace(INSERTED, '');
}

/** Whether a source text could not be told from inserted text: it has the marker before a bracket or a counter's name. */
export function isAmbiguous(code) {
  return code.includes(M) && new RegExp(`${M}(?:[{})#]|static|${ACCESSOR})`).test(code);
}
