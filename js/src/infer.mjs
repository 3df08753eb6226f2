// Probes of a source that a minifier left without a counter: what the counters around them say about them all the same.
//
// Each rule follows from how JavaScript runs: probes that always agree share their counters; who ran inside of a
// statement or arm shows that this ran; behind an expression statement the next statement runs; and where an `if`
// always leaves, what stands behind it runs when the test fails. Probes with a counter of their own are left alone.
import { walk } from './walk.mjs';

/** More counters than that say no more. */
const LIMIT = 32;
const LEAVES = new Set(['ReturnStatement', 'ThrowStatement', 'BreakStatement', 'ContinueStatement']);

class Evidence {
  /** `slots` holds for each probe the counters that stand for it. */
  constructor(slots) {
    this.slots = slots;
    this.bare = slots.map((list) => list.length === 0);
    this.found = slots.map(() => null);
  }

  of(probe) {
    return this.bare[probe] ? (this.found[probe] ?? []) : this.slots[probe];
  }

  /** What shows that `from` ran shows that `to` ran. */
  imply(from, to) {
    if (to < 0 || from < 0 || !this.bare[to]) return;
    const found = (this.found[to] ??= []);
    for (const slot of this.of(from)) if (found.length < LIMIT && !found.includes(slot)) found.push(slot);
  }
}

/**
 * Adds the counters of `source`'s probes that have none. `source` is one of maps.mjs whose text was parsed, `slots`
 * has for each of its probes the counters that stand for it. Returns the additions: [counter, probe, ...].
 */
export function infer(source, slots) {
  const evidence = new Evidence(slots);
  const lists = statementLists(source.result);
  for (let round = 0; round < 2; round++) {
    agree(source.result.shared, evidence);
    inside(source, evidence);
    behind(lists, evidence);
  }
  elses(source, lists, evidence);
  return evidence.found.flatMap((found, probe) => (found ?? []).flatMap((slot) => [slot, probe]));
}

function agree(shared, evidence) {
  for (const [one, other] of shared) {
    evidence.imply(one, other);
    evidence.imply(other, one);
  }
}

function inside({ statement, arm, armBase, armRanges, result }, evidence) {
  for (let at = arm.order.length - 1; at >= 0; at--) {
    const index = arm.order[at];
    if (arm.parents[index] >= 0) evidence.imply(armBase + index, armBase + arm.parents[index]);
  }
  result.statements.forEach(([start], index) => {
    const around = arm.find(start);
    if (around >= 0) evidence.imply(index, armBase + around);
  });
  armRanges.forEach(([start, end], index) => {
    if (end > start) evidence.imply(armBase + index, statement.find(start));
  });
  for (let at = statement.order.length - 1; at >= 0; at--) {
    evidence.imply(statement.order[at], statement.parents[statement.order[at]]);
  }
}

/** Every list of statements as [{node, first, last}], with the statement probes that a statement begins and ends with. */
function statementLists(result) {
  const indexOf = new Map(result.statements.map(([start, end], index) => [`${start} ${end}`, index]));
  const at = (node) => (node ? (indexOf.get(`${node.start} ${node.end}`) ?? -1) : -1);
  const lists = [];
  walk(result.ast, (node) => {
    const list =
      node.type === 'SwitchCase'
        ? node.consequent
        : Array.isArray(node.body) && node.type !== 'ClassBody'
          ? node.body
          : null;
    if (!list || list.length < 2) return;
    lists.push(
      list.map((statement) => {
        if (statement.type !== 'VariableDeclaration')
          return { node: statement, first: at(statement), last: at(statement) };
        const values = statement.declarations.map((declaration) => at(declaration.init)).filter((index) => index >= 0);
        return { node: statement, first: values[0] ?? -1, last: values.at(-1) ?? -1 };
      }),
    );
  });
  return lists;
}

function behind(lists, evidence) {
  for (const list of lists) {
    for (let at = 1; at < list.length; at++) {
      const { node, last } = list[at - 1];
      if ((node.type === 'ExpressionStatement' || node.type === 'VariableDeclaration') && !waits(node))
        evidence.imply(last, list[at].first);
    }
  }
}

/** Whether a statement may be left in its middle for good: the awaited may never come. */
function waits(node) {
  let found = false;
  walk(node, (inner) => {
    if (inner.type === 'AwaitExpression' || inner.type === 'YieldExpression') found = true;
  });
  return found;
}

function elses(source, lists, evidence) {
  for (const list of lists) {
    for (let at = 0; at + 1 < list.length; at++) {
      const { node } = list[at];
      if (node.type !== 'IfStatement' || node.alternate || !leaves(node.consequent)) continue;
      const missing = source.elses.get(node.start);
      if (missing !== undefined) evidence.imply(list[at + 1].first, source.armBase + missing);
    }
  }
}

const leaves = (node) => LEAVES.has(node?.type) || (node?.type === 'BlockStatement' && leaves(node.body.at(-1)));
