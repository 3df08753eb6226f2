// Istanbul's comments `istanbul ignore next | if | else | file`, found as Istanbul finds them.
//
// Babel hangs a comment on the outermost node that starts right behind it; only some types of node heed it.
// The walk asks `ignored` at exactly these types.

const HINT = /^\s*istanbul\s+ignore\s+(if|else|next)(?=\W|$)/;
const FILE_HINT = /^\s*istanbul\s+ignore\s+file(?=\W|$)/;
const SKIPPED = /(?:[\s\uFEFF]|\/\*[^]*?\*\/|\/\/.*|<!--.*)*/y;

/** @returns {boolean} whether the text may hold a hint at all */
export function mayHoldHints(code) {
  return /istanbul\s+ignore/.test(code);
}

/** @returns {boolean} whether a comment asks to leave the whole file out */
export function ignoresFile(comments) {
  return comments.some((comment) => FILE_HINT.test(comment.value));
}

/**
 * @param {string} code
 * @param {object} ast
 * @param {{value: string, end: number}[]} comments
 * @returns {Map<object, 'next' | 'if' | 'else'> | null} node to its hint; null where there is none
 */
export function findHints(code, ast, comments) {
  let waiting = new Map();
  for (const comment of comments) {
    const found = HINT.exec(comment.value.trim());
    if (found) waiting.set(skip(code, comment.end), found[1]);
  }
  const hints = new Map();
  while (waiting.size > 0) {
    attach(ast, waiting, hints);
    // What is left may stand before brackets that belong to no node.
    const inside = new Map();
    for (const [position, hint] of waiting) {
      if (code[position] === '(') inside.set(skip(code, position + 1), hint);
    }
    waiting = inside;
  }
  return hints.size > 0 ? hints : null;
}

/** Position of the next token at or behind `position`. */
function skip(code, position) {
  SKIPPED.lastIndex = position;
  return position + SKIPPED.exec(code)[0].length;
}

/** Outermost first: the first node that starts at a waiting position takes its hint. */
function attach(ast, waiting, hints) {
  const stack = [...ast.body].reverse();
  while (stack.length > 0) {
    const node = stack.pop();
    const hint = waiting.get(node.start);
    if (hint !== undefined) {
      hints.set(node, hint);
      waiting.delete(node.start);
    }
    const children = [];
    for (const key in node) {
      const value = node[key];
      if (Array.isArray(value)) children.push(...value.filter(isNode));
      else if (isNode(value)) children.push(value);
    }
    children.sort((a, b) => b.start - a.start || a.end - b.end);
    stack.push(...children);
  }
}

function isNode(value) {
  return value !== null && typeof value === 'object' && typeof value.type === 'string' && typeof value.start === 'number';
}
