// What is counted: the tables of statements, functions, branches and extra points, in the order of the walk.

/** Kinds of counter, in the order of their slots. */
export const STATEMENT = 0;
export const FUNCTION = 1;
export const ARM = 2;
export const EXTRA = 3;

/** Tables of one script; offsets are UTF-16 units into its source. */
export class Points {
  constructor() {
    this.statements = [];
    this.owner = [];
    this.functions = [];
    this.branches = [];
    this.branchOwner = [];
    this.extra = [];
    this.extraOwner = [];
    /** Function nodes, parallel to `functions`. */
    this.nodes = [];
    /** Arms so far, over all branches. */
    this.arms = 0;
    /** Index of the function that is being walked, -1 at top level. */
    this.current = -1;
    /** Ranges of the class fields (`kind` 1) and static members (`kind` 2) of each class, which run like functions. */
    this.initializers = [];
    /** Index of the initializer that is being walked, -1 outside of one. */
    this.initializer = -1;
    /** Where each statement, arm and extra point runs: a function's index, -1 for top level, -2 and below an initializer. */
    this.homes = { statements: [], arms: [], extra: [] };
    /** For each arm the offset where it begins to run, and the offset that must have run less often (-1: none). */
    this.armStarts = [];
    this.privateMethods = 0;
  }

  /** @returns {number} index of the new statement */
  statement(node) {
    this.owner.push(this.current);
    this.homes.statements.push(this.#home());
    return this.statements.push([node.start, node.end]) - 1;
  }

  /**
   * @param {object} node the function
   * @param {object} whole the method or property that it is the value of, or itself
   * @returns {number} index of the new function
   */
  function(node, whole) {
    const index = this.functions.length;
    const { id } = node;
    const named = id !== null && id !== undefined;
    this.functions.push({
      name: named ? id.name : this.#standIn(whole, index),
      decl: named ? [id.start, id.end] : [whole.start, whole.start + 1],
      loc: [node.body.start, node.body.end],
      range: [whole.start, whole.end],
    });
    this.nodes.push(node);
    return index;
  }

  /** Istanbul numbers what has no name of its own, methods included; it does not count private methods. */
  #standIn({ type, key }, index) {
    if (type !== 'MethodDefinition' || (key.type !== 'PrivateIdentifier' && key.type !== 'PrivateName')) {
      return `(anonymous_${index - this.privateMethods})`;
    }
    this.privateMethods++;
    return `#${key.name ?? key.id.name}`;
  }

  /**
   * All arms of a branch are reserved at once, so that arm slots follow the order of the branches.
   *
   * @param {string} type Istanbul's: if, cond-expr, binary-expr, switch, default-arg
   * @param {object} node
   * @param {[number, number][]} arms
   * @param {[number, number][]} [starts] for each arm where it begins to run (-1: nobody can tell) and the offset that
   *   must have run less often than that one (-1: none); without it where the arms begin
   * @returns {number} index of its first arm among all arms
   */
  branch(type, node, arms, starts = arms.map(([start]) => [start, -1])) {
    const first = this.arms;
    if (arms.length === 0) return first;
    this.branches.push({ type, loc: [node.start, node.end], arms });
    this.branchOwner.push(this.current);
    for (const start of starts) {
      this.armStarts.push(start);
      this.homes.arms.push(this.#home());
    }
    this.arms += arms.length;
    return first;
  }

  /** @returns {number} index of the new extra point */
  point(node) {
    this.extraOwner.push(this.current);
    this.homes.extra.push(this.#home());
    return this.extra.push([node.start, node.end]) - 1;
  }

  #home() {
    return this.initializer < 0 ? this.current : -2 - this.initializer;
  }

  /** First slot of each kind, and last the number of all slots. */
  bases() {
    const functions = this.statements.length;
    const arms = functions + this.functions.length;
    const extra = arms + this.arms;
    return [0, functions, arms, extra, extra + this.extra.length];
  }
}
