// The walk into functions and classes.
import { FIELD_FORM, MEMBER_FORM, STATEMENT_FORM, STATIC_FORM, TAIL_FORM, WRAP_FORM } from './edits.mjs';
import { ignored } from './context.mjs';
import { expression, wrapped, wrappedAndNamed } from './expressions.mjs';
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
  for (const parameter of node.params) expression(context, parameter);
  if (node.body.type === 'BlockStatement') blockBody(context, node.body, index);
  else arrowBody(context, node.body, index);
  points.current = outer;
}

function blockBody(context, body, index) {
  countEntry(context, body, index);
  if (!ignored(context, body)) statements(context, body.body);
}

/** The function's counter comes first in its body, but behind the directives. */
function countEntry(context, body, index) {
  const { edits } = context;
  const list = body.body;
  let directives = 0;
  while (directives < list.length && list[directives].directive !== undefined) directives++;
  if (directives === 0) {
    edits.hit(body.start + 1, STATEMENT_FORM, FUNCTION, index);
  } else if (directives < list.length) {
    edits.hit(list[directives].start, STATEMENT_FORM, FUNCTION, index);
  } else {
    const { end } = list[directives - 1];
    const form = context.code[end - 1] === ';' ? STATEMENT_FORM : TAIL_FORM;
    edits.hit(end, form, FUNCTION, index);
  }
}

/** An arrow's expression: counted as a function and as the statement that returns it. */
function arrowBody(context, body, index) {
  const { edits } = context;
  const returned = context.points.statement(body);
  edits.hit(body.start, WRAP_FORM, FUNCTION, index);
  edits.hit(body.start, MEMBER_FORM, STATEMENT, returned);
  expression(context, body);
  edits.close(body.end, edits.endParen);
}

/** Walks a class: heritage, computed keys, methods, fields, static blocks. */
export function classBody(context, node) {
  for (const one of node.decorators ?? []) expression(context, one.expression);
  if (node.superClass) expression(context, node.superClass);
  for (const member of node.body.body) classMember(context, member);
}

function classMember(context, member) {
  if (member.type === 'StaticBlock') {
    statements(context, member.body);
    return;
  }
  const isField = member.type === 'PropertyDefinition';
  if ((isField || member.type === 'MethodDefinition') && ignored(context, member)) return;
  for (const one of member.decorators ?? []) expression(context, one.expression);
  if (!member.value || member.declare || member.type.startsWith('TS')) {
    if (member.computed) expression(context, member.key);
    return;
  }
  if (isField) {
    field(context, member);
    return;
  }
  if (member.computed) expression(context, member.key);
  if (member.type === 'MethodDefinition') functionBody(context, member.value, member);
  else expression(context, member.value);
}

function field(context, member) {
  const { edits } = context;
  const { key, value } = member;
  const index = context.points.statement(value);
  if (!isAnonymous(value)) {
    if (member.computed) expression(context, key);
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
  expression(context, key);
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
