// What the walk carries along.

/**
 * @typedef {object} Context
 * @property {string} code
 * @property {import('./points.mjs').Points} points
 * @property {import('./edits.mjs').Edits} edits
 * @property {Map<object, string> | null} hints
 * @property {boolean} branches
 * @property {boolean} fine
 * @property {boolean} alias whether functions may have the array in a variable
 * @property {boolean} hoist whether counters of initial values at top level stand before the declaration
 */

/** Whether a hint says to leave this node out, with all that it holds. */
export function ignored(context, node) {
  return context.hints !== null && context.hints.get(node) === 'next';
}
