// One walk over a syntax tree, for all that only look at it.

const SKIP = new Set([
  'type',
  'start',
  'end',
  'loc',
  'range',
  'typeAnnotation',
  'returnType',
  'typeParameters',
  'typeArguments',
  'extra',
  'regex',
]);

/**
 * Visits every node in source order, by a loop: minified code nests deeper than a call stack.
 * `visit(node, context)` returns the context of the node's children.
 */
export function walk(tree, visit, context = undefined) {
  const stack = [tree, context];
  while (stack.length) {
    const given = stack.pop();
    const node = stack.pop();
    const inside = visit(node, given);
    const from = stack.length;
    for (const name in node) {
      const child = SKIP.has(name) ? null : node[name];
      if (child === null || typeof child !== 'object') continue;
      if (typeof child.type === 'string') stack.push(inside, child);
      else if (Array.isArray(child))
        for (const item of child) if (item && typeof item.type === 'string') stack.push(inside, item);
    }
    // Pairs were pushed as (context, node); reversed they come off in source order as (node, context).
    for (let low = from, high = stack.length - 1; low < high; low++, high--) {
      const kept = stack[low];
      stack[low] = stack[high];
      stack[high] = kept;
    }
  }
}
