// The walk into functions and classes.
import { ENTRY_FORM, FIELD_FORM, STATEMENT_FORM, STATIC_FORM, TAIL_FORM, WRAP_FORM } from './edits.mjs';
import { ignored } from './context.mjs';
import { expression, wrapped, wrappedAndNamed } from './expressions.mjs';
import { MARKER } from './names.mjs';
import { FUNCTION, STATEMENT } from './points.mjs';
import { statements } from './statements.mjs';

/**
 * Counts a function and walks its parameters and body.
 *
 * @param {import('./context.mjs').Context} context
 * @param {object} node the function
 * @param {object} whole the method or property that it is the value of, or itself
 */
export function functionBody(context, node, whole) {
  if (!node.body) return; // an overload or an abstract method in TypeScript
  const { points } = context;
  const outer = points.current;
  const index = points.function(node, whole);
  points.current = index;
  const { initializer } = points;
  points.initializer = -1;
  const { edits } = context;
  const { local, uses } = edits;
  // Making the function runs nothing of it.
  const before = edits.adjacent;
  edits.local = false;
  edits.cut();
  for (const parameter of node.params) expression(context, parameter);
  edits.cut();
  if (node.body.type === 'BlockStatement') blockBody(context, node.body, index);
  else arrowBody(context, node.body, index);
  points.current = outer;
  points.initializer = initializer;
  edits.local = local;
  edits.uses = uses;
  edits.adjacent = before;
}

function blockBody(context, body, index) {
  const { edits } = context;
  edits.uses = 0;
  countEntry(context, body, index);
  const entry = edits.latest();
  if (!ignored(context, body)) statements(context, body.body);
  if (edits.uses === 1) edits.simplify(entry);
}

/** The function's counter comes first in its body, but behind the directives. */
function countEntry(context, body, index) {
  const { edits } = context;
  const list = body.body;
  let directives = 0;
  while (directives < list.length && list[directives].directive !== undefined) directives++;
  edits.local = context.alias && directives < list.length;
  const form = edits.local ? ENTRY_FORM : STATEMENT_FORM;
  if (directives === 0) {
    edits.hit(body.start + 1, form, FUNCTION, index);
  } else if (directives < list.length) {
    edits.hit(list[directives].start, form, FUNCTION, index);
  } else {
    const { end } = list[directives - 1];
    edits.hit(end, context.code[end - 1] === ';' ? STATEMENT_FORM : TAIL_FORM, FUNCTION, index);
  }
}

/** An arrow's expression: counted as a function and as the statement that returns it. */
function arrowBody(context, body, index) {
  const { edits } = context;
  edits.hit(body.start, WRAP_FORM, FUNCTION, index);
  edits.hit(body.start, WRAP_FORM, STATEMENT, context.points.statement(body));
  expression(context, body);
  edits.close(body.end, `${MARKER})`);
}

/** Walks a class: heritage, computed keys, methods, fields, static blocks. */
export function classBody(context, node) {
  decorators(context, node);
  if (node.superClass) expression(context, node.superClass);
  const initializers = initializersOf(context.points, node.body.body);
  for (const member of node.body.body) classMember(context, member, initializers);
}

/** Indices of the class's initializers: of its fields, and of its static fields and blocks; -1 where it has none. */
function initializersOf(points, members) {
  const fields = members.filter((member) => member.type === 'PropertyDefinition' || member.type === 'StaticBlock');
  const enter = (list, kind) => {
    if (list.length === 0) return -1;
    return points.initializers.push({ kind, range: [list[0].start, list[list.length - 1].end] }) - 1;
  };
  const isStatic = (member) => member.static || member.type === 'StaticBlock';
  return [enter(fields.filter((member) => !isStatic(member)), 1), enter(fields.filter(isStatic), 2)];
}

/** Members run at other times than the code around them, and cannot see its variable. */
function classMember(context, member, [ofFields, ofStatics]) {
  const { edits, points } = context;
  const { local } = edits;
  const { initializer } = points;
  edits.local = false;
  edits.cut();
  switch (member.type) {
    case 'StaticBlock':
      points.initializer = ofStatics;
      statements(context, member.body);
      break;
    case 'PropertyDefinition':
      points.initializer = member.static ? ofStatics : ofFields;
      if (!ignored(context, member)) field(context, member);
      break;
    case 'MethodDefinition':
      if (!ignored(context, member)) method(context, member);
      break;
    default:
      otherMember(context, member);
  }
  points.initializer = initializer;
  edits.cut();
  edits.local = local;
}

function decorators(context, node) {
  for (const one of node.decorators ?? []) expression(context, one.expression);
}

function method(context, member) {
  decorators(context, member);
  if (member.computed) expression(context, member.key);
  functionBody(context, member.value, member);
}

/** `accessor` fields and TypeScript's abstract ones, which Istanbul does not count. */
function otherMember(context, member) {
  decorators(context, member);
  if (member.computed) expression(context, member.key);
  if (member.value && !member.declare && !member.type.startsWith('TS')) expression(context, member.value);
}

function field(context, member) {
  const { edits } = context;
  const { key, value } = member;
  decorators(context, member);
  if (!value || member.declare) {
    if (member.computed) expression(context, key);
    return;
  }
  const index = context.points.statement(value);
  if (!isAnonymous(value)) {
    if (member.computed) expression(context, key);
    edits.cut();
    wrapped(context, value, STATEMENT, index);
    return;
  }
  const name = functionName(key, member.computed);
  if (name !== null) {
    wrappedAndNamed(context, value, STATEMENT, index, name);
    return;
  }
  // The name is known at run time only, so the function must stay alone: a neighbour counts for it.
  edits.hit(member.start, member.static ? STATIC_FORM : FIELD_FORM, STATEMENT, index);
  edits.cut();
  expression(context, key);
  edits.cut();
  expression(context, value);
}

/** Whether the language would name this function or class after what it is assigned to. */
export function isAnonymous({ type, id }) {
  return type === 'ArrowFunctionExpression' || ((type === 'FunctionExpression' || type === 'ClassExpression') && !id);
}

/** The name that an anonymous function gets from a variable or property; null where it gets none or an unknown one. */
export function functionName(node, computed) {
  if (computed) return null;
  if (node.type === 'Identifier') return node.name;
  if (node.type === 'PrivateIdentifier') return '#' + node.name;
  if (node.type === 'PrivateName') return '#' + node.id.name;
  return node.type === 'Literal' ? String(node.value) : null;
}
