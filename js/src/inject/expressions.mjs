// The walk over expressions and patterns: branch arms, default values, and the way to functions inside.
import { MEMBER_FORM, PAREN_MEMBER_FORM, WRAP_FORM } from './edits.mjs';
import { ignored } from './context.mjs';
import { classBody, functionBody, functionName, isAnonymous } from './functions.mjs';
import { MARKER, quoted } from './names.mjs';
import { ARM, EXTRA } from './points.mjs';

/** Walks an expression or a pattern. */
export function expression(context, node) {
  switch (node.type) {
    case 'Literal':
      return;
    case 'Identifier':
    case 'ThisExpression':
    case 'Super':
    case 'MetaProperty':
    case 'PrivateIdentifier':
    case 'PrivateName':
      break;
    case 'MemberExpression':
      expression(context, node.object);
      if (node.optional) context.edits.cut();
      if (node.computed) expression(context, node.property);
      break;
    case 'CallExpression':
    case 'NewExpression':
      expression(context, node.callee);
      if (node.optional) context.edits.cut();
      all(context, node.arguments);
      break;
    case 'AssignmentExpression':
      if (node.left.type !== 'Identifier') expression(context, node.left);
      if (node.operator !== '=') context.edits.cut();
      expression(context, node.right);
      break;
    case 'BinaryExpression':
      binary(context, node);
      break;
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
    case 'FunctionDeclaration':
      if (!ignored(context, node)) functionBody(context, node, node);
      return;
    case 'LogicalExpression':
      logical(context, node);
      break;
    case 'ConditionalExpression':
      conditional(context, node);
      break;
    case 'SequenceExpression':
      sequence(context, node);
      return;
    case 'ObjectExpression':
      for (const one of node.properties) property(context, one);
      return;
    case 'ArrayExpression':
      all(context, node.elements);
      return;
    case 'ObjectPattern':
      context.edits.cut();
      for (const one of node.properties) property(context, one);
      break;
    case 'ArrayPattern':
      context.edits.cut();
      all(context, node.elements);
      break;
    case 'AssignmentPattern':
      defaultValue(context, node);
      break;
    case 'UnaryExpression':
      expression(context, node.argument);
      if (node.operator === '!' || node.operator === 'void' || typeof node.argument.value === 'number') return;
      break;
    case 'UpdateExpression':
    case 'SpreadElement':
    case 'RestElement':
    case 'AwaitExpression':
      expression(context, node.argument);
      break;
    case 'YieldExpression':
      if (node.argument) expression(context, node.argument);
      break;
    case 'TemplateLiteral':
      if (node.expressions.length === 0) return;
      all(context, node.expressions);
      break;
    case 'TaggedTemplateExpression':
      expression(context, node.tag);
      all(context, node.quasi.expressions);
      break;
    case 'ClassExpression':
    case 'ClassDeclaration':
      classBody(context, node);
      break;
    case 'ChainExpression':
    case 'ParenthesizedExpression':
      expression(context, node.expression);
      return;
    default:
      context.edits.cut();
      other(context, node);
  }
  // All but the cases that returned may throw or jump.
  context.edits.cut();
}

function all(context, list) {
  for (const node of list) if (node !== null) expression(context, node);
}

/** Not recursive on the left: texts are put together from thousands of pieces. */
function binary(context, node) {
  const rights = [];
  let left = node;
  while (left.type === 'BinaryExpression') {
    rights.push(left.right);
    left = left.left;
  }
  expression(context, left);
  while (rights.length > 0) {
    expression(context, rights.pop());
    context.edits.cut();
  }
}

function property(context, node) {
  if (node.type !== 'Property') {
    expression(context, node.argument);
    return;
  }
  const isMethod = node.method || node.kind !== 'init';
  if (isMethod && ignored(context, node)) return;
  if (node.computed) {
    expression(context, node.key);
    context.edits.cut();
  }
  if (isMethod) functionBody(context, node.value, node);
  else expression(context, node.value);
}

function logical(context, node) {
  if (ignored(context, node)) return;
  if (!context.branches) {
    expression(context, node.left);
    context.edits.cut();
    if (context.fine) extra(context, node.right);
    else expression(context, node.right);
    return;
  }
  const leaves = [];
  collectLeaves(context, node, leaves);
  const counted = leaves.filter((leaf) => !ignored(context, leaf));
  let arm = context.points.branch('binary-expr', node, counted.map((leaf) => [leaf.start, leaf.end]));
  for (const leaf of leaves) {
    if (leaf !== leaves[0]) context.edits.cut();
    if (ignored(context, leaf)) expression(context, leaf);
    else wrapped(context, leaf, ARM, arm++);
  }
}

function collectLeaves(context, node, leaves) {
  if (node.type !== 'LogicalExpression') {
    leaves.push(node);
  } else if (!ignored(context, node)) {
    collectLeaves(context, node.left, leaves);
    collectLeaves(context, node.right, leaves);
  }
}

function conditional(context, node) {
  if (ignored(context, node)) return;
  const { consequent, alternate } = node;
  if (!context.branches) {
    expression(context, node.test);
    for (const side of [consequent, alternate]) {
      context.edits.cut();
      if (context.fine) extra(context, side);
      else expression(context, side);
    }
    return;
  }
  const counted = [consequent, alternate].filter((side) => !ignored(context, side));
  let arm = context.points.branch('cond-expr', node, counted.map((side) => [side.start, side.end]));
  expression(context, node.test);
  for (const side of [consequent, alternate]) {
    context.edits.cut();
    if (ignored(context, side)) expression(context, side);
    else wrapped(context, side, ARM, arm++);
  }
}

function defaultValue(context, node) {
  if (ignored(context, node)) return;
  const { left, right } = node;
  if (!context.branches) {
    expression(context, left);
    context.edits.cut();
    expression(context, right);
    return;
  }
  const arm = context.points.branch('default-arg', node, [[right.start, right.end]], [[-1, -1]]);
  expression(context, left);
  context.edits.cut();
  const name = isAnonymous(right) ? functionName(left, false) : null;
  if (name === null) wrapped(context, right, ARM, arm);
  else wrappedAndNamed(context, right, ARM, arm, name);
}

/** A counter that runs just before an expression, which keeps its value. */
export function wrapped(context, node, kind, index) {
  const inserted = context.edits.hit(node.start, WRAP_FORM, kind, index);
  expression(context, node);
  if (inserted) context.edits.close(node.end, `${MARKER})`);
}

/** The same for an anonymous function or class, which must still get the name that it would have had. */
export function wrappedAndNamed(context, node, kind, index, name) {
  const { edits } = context;
  const key = `[${quoted(name)}]`;
  const inserted = edits.hit(node.start, WRAP_FORM, kind, index, `${MARKER}{${key}:`);
  expression(context, node);
  if (inserted) edits.close(node.end, `${MARKER}}${key})`);
}

/** Minified code strings its statements together by commas: each member but the first is an extra point. */
function sequence(context, node) {
  node.expressions.forEach((member, i) => {
    if (context.fine && i > 0 && !isPlain(member)) {
      const form = context.code[member.start - 1] === '(' ? PAREN_MEMBER_FORM : MEMBER_FORM;
      context.edits.hit(member.start, form, EXTRA, context.points.point(member));
    }
    expression(context, member);
  });
}

function extra(context, node) {
  if (isPlain(node)) expression(context, node);
  else wrapped(context, node, EXTRA, context.points.point(node));
}

/** Whether running it tells nothing: a name or a constant. */
function isPlain(node) {
  const { type } = node;
  if (type === 'UnaryExpression') return isPlain(node.argument);
  return type === 'Identifier' || type === 'Literal' || type === 'ThisExpression';
}

const TYPES_ONLY = /^(TypeAnnotation|TypeAlias|InterfaceDeclaration|Declare\w+|OpaqueType)$/;
const NOT_WALKED = new Set(['type', 'loc', 'start', 'end', 'extra', 'range', 'typeAnnotation', 'typeArguments', 'typeParameters', 'returnType']);

/** JSX, import(), types and whatever comes next: all children in order. */
function other(context, node) {
  if (node.type.startsWith('TS')) {
    if (node.type === 'TSParameterProperty') expression(context, node.parameter);
    else if (node.expression && node.expression.type) expression(context, node.expression);
    return;
  }
  if (TYPES_ONLY.test(node.type)) return;
  for (const key in node) {
    if (NOT_WALKED.has(key)) continue;
    const value = node[key];
    for (const child of Array.isArray(value) ? value : [value]) {
      if (!child || typeof child.type !== 'string' || typeof child.start !== 'number') continue;
      expression(context, child);
      context.edits.cut();
    }
  }
}
