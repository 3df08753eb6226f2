// The walk over statements: which are counted (Istanbul's choice), and where their counters go.
//
// A statement of a list gets its counter before it; a lone one (the body of an if or a loop) gets a block
// around both. `anchor` is where counters go that run before the statement: its start, or that of the label
// or export in front of it.
import { BLOCK_FORM, ELSE_FORM, STATEMENT_FORM, WRAP_FORM } from './edits.mjs';
import { ignored } from './context.mjs';
import { expression } from './expressions.mjs';
import { classBody, functionBody } from './functions.mjs';
import { MARKER } from './names.mjs';
import { ARM, STATEMENT } from './points.mjs';

/** Walks the statements of a block, a program, a case or a static block. */
export function statements(context, list) {
  for (const node of list) statement(context, node, node.start);
}

function statement(context, node, anchor) {
  switch (node.type) {
    case 'EmptyStatement':
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
      return;
    case 'ExpressionStatement':
      if (node.directive !== undefined) return;
      if (counted(context, node, anchor)) expression(context, node.expression);
      break;
    case 'BlockStatement':
      block(context, node);
      return;
    case 'VariableDeclaration':
      variables(context, node, anchor);
      return;
    case 'ReturnStatement':
    case 'ThrowStatement':
      if (counted(context, node, anchor) && node.argument) expression(context, node.argument);
      break;
    case 'BreakStatement':
    case 'ContinueStatement':
    case 'DebuggerStatement':
      counted(context, node, anchor);
      break;
    case 'FunctionDeclaration':
      if (!ignored(context, node)) functionBody(context, node, node);
      return;
    case 'ClassDeclaration':
      if (!ignored(context, node)) classBody(context, node);
      break;
    case 'ExportNamedDeclaration':
      if (node.declaration && !ignored(context, node)) statement(context, node.declaration, node.start);
      return;
    case 'ExportDefaultDeclaration':
      if (!ignored(context, node)) exported(context, node.declaration);
      break;
    default:
      compound(context, node, anchor);
  }
  // All but the cases that returned may throw or jump.
  context.edits.cut();
}

/** Statements that hold others. */
function compound(context, node, anchor) {
  const visit = COMPOUND[node.type];
  if (visit === undefined) {
    typescriptStatement(context, node);
  } else if (counted(context, node, anchor)) {
    visit(context, node, anchor);
  }
}

const COMPOUND = {
  IfStatement: ifStatement,
  ForStatement(context, node, anchor) {
    const { init } = node;
    if (init) {
      if (init.type === 'VariableDeclaration') variables(context, init, anchor);
      else expression(context, init);
    }
    context.edits.cut();
    if (node.test) expression(context, node.test);
    context.edits.cut();
    if (node.update) expression(context, node.update);
    lone(context, node.body);
  },
  ForInStatement: forEach,
  ForOfStatement: forEach,
  WhileStatement(context, node) {
    context.edits.cut();
    expression(context, node.test);
    lone(context, node.body);
  },
  DoWhileStatement(context, node) {
    lone(context, node.body);
    context.edits.cut();
    expression(context, node.test);
  },
  WithStatement(context, node) {
    expression(context, node.object);
    lone(context, node.body);
  },
  SwitchStatement: switchStatement,
  TryStatement(context, node) {
    block(context, node.block);
    context.edits.cut();
    if (node.handler) {
      if (node.handler.param) expression(context, node.handler.param);
      context.edits.cut();
      block(context, node.handler.body);
      context.edits.cut();
    }
    if (node.finalizer) block(context, node.finalizer);
  },
  LabeledStatement(context, node, anchor) {
    const { body } = node;
    if (body.type === 'BlockStatement') block(context, body);
    else if (body.type !== 'EmptyStatement') statement(context, body, anchor);
  },
};

/** Adds the statement and its counter; false where a hint says to leave it out, with all that it holds. */
function counted(context, node, anchor) {
  if (ignored(context, node)) return false;
  context.edits.hit(anchor, STATEMENT_FORM, STATEMENT, context.points.statement(node));
  return true;
}

function block(context, node) {
  if (!ignored(context, node)) statements(context, node.body);
}

/** The body of a loop or of `with`. */
function lone(context, node) {
  context.edits.cut();
  if (node.type === 'BlockStatement') {
    block(context, node);
  } else if (node.type !== 'EmptyStatement') {
    context.edits.open(node.start, `${MARKER}{`);
    statement(context, node, node.start);
    context.edits.close(node.end, `${MARKER}}`);
  }
}

function forEach(context, node, anchor) {
  if (node.left.type === 'VariableDeclaration') variables(context, node.left, anchor);
  else expression(context, node.left);
  context.edits.cut();
  expression(context, node.right);
  lone(context, node.body);
}

function ifStatement(context, node) {
  const { consequent, alternate } = node;
  const hint = context.hints === null ? undefined : context.hints.get(node);
  let arm = -1;
  if (context.branches) {
    const arms = [];
    const starts = [];
    if (hint !== 'if') {
      arms.push([node.start, node.end]);
      starts.push([consequent.start, -1]);
    }
    // An arm that is not written has the empty range at the statement's start.
    if (hint !== 'else') {
      arms.push(alternate ? [alternate.start, alternate.end] : [node.start, node.start]);
      starts.push(alternate ? [alternate.start, -1] : [node.start, consequent.start]);
    }
    arm = context.points.branch('if', node, arms, starts);
  }
  expression(context, node.test);
  branchBody(context, consequent, hint === 'if' ? -1 : arm, hint === 'if');
  const second = hint === 'if' ? arm : arm + 1;
  if (alternate) {
    branchBody(context, alternate, hint === 'else' || arm < 0 ? -1 : second, hint === 'else');
  } else if (arm >= 0 && hint !== 'else') {
    context.edits.cut();
    context.edits.hitAfter(consequent.end, ELSE_FORM, ARM, second);
  }
}

/** One side of an if; `arm` is -1 where it is not counted, `skip` where nothing in it is. */
function branchBody(context, node, arm, skip) {
  const { edits } = context;
  edits.cut();
  if (node.type === 'BlockStatement') {
    if (arm >= 0) edits.hit(node.start + 1, STATEMENT_FORM, ARM, arm);
    if (!skip) block(context, node);
    return;
  }
  if (arm >= 0) edits.hit(node.start, BLOCK_FORM, ARM, arm);
  else edits.open(node.start, `${MARKER}{`);
  if (!skip) statement(context, node, node.start);
  edits.close(node.end, `${MARKER}}`);
}

function switchStatement(context, node) {
  expression(context, node.discriminant);
  const cases = node.cases.filter((one) => !ignored(context, one));
  let arm = -1;
  if (context.branches) arm = context.points.branch('switch', node, cases.map((one) => [one.start, one.end]));
  for (const one of cases) {
    context.edits.cut();
    if (one.test) expression(context, one.test);
    context.edits.cut();
    if (arm >= 0) {
      const from = one.test ? one.test.end : one.start + 'default'.length;
      context.edits.hit(afterColon(context.code, from), STATEMENT_FORM, ARM, arm++);
    }
    statements(context, one.consequent);
  }
}

/** Position behind the next colon; only white space, comments and closing brackets stand before it. */
function afterColon(code, from) {
  for (let i = from; ; i++) {
    const character = code[i];
    if (character === ':') return i + 1;
    if (character !== '/') continue;
    if (code[i + 1] === '*') {
      i = code.indexOf('*/', i + 2) + 1;
    } else {
      while (!LINE_END.test(code[i + 1])) i++;
    }
  }
}

const LINE_END = /[\n\r\u2028\u2029]/;

/** `var`, `let`, `const`, `using`: each initial value is a statement of its own. */
function variables(context, node, anchor) {
  if (node.declare || ignored(context, node)) return;
  for (const one of node.declarations) {
    if (ignored(context, one)) context.edits.cut();
    else if (one.init) initialValue(context, node, one, anchor);
    else expression(context, one.id);
  }
}

function initialValue(context, { kind, declarations }, { id, init }, anchor) {
  const { edits } = context;
  const index = context.points.statement(init);
  // A function must stay alone behind the `=`: it takes its name from there. So its counter runs early. In sources,
  // tools read what stands behind the `=` at top level: `export const dynamic = 'force-static'`.
  const early = isFunctionOrClass(init) || (context.hoist && context.points.current < 0);
  let inserted;
  if (early) {
    inserted = edits.hit(anchor, STATEMENT_FORM, STATEMENT, index);
    if (inserted && init !== declarations[0].init) edits.cut();
  }
  const { adjacent } = edits;
  expression(context, id);
  edits.adjacent = adjacent;
  if (!early) inserted = edits.hit(init.start, WRAP_FORM, STATEMENT, index);
  expression(context, init);
  if (inserted && !early) edits.close(init.end, `${MARKER})`);
  const isLocal = kind === 'let' || kind === 'const' || (kind === 'var' && context.points.current >= 0);
  if (!isLocal || id.type !== 'Identifier') edits.cut();
}

function isFunctionOrClass({ type }) {
  return type === 'FunctionExpression' || type === 'ArrowFunctionExpression' || type === 'ClassExpression';
}

function exported(context, node) {
  if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') statement(context, node, node.start);
  else expression(context, node);
}

function typescriptStatement(context, node) {
  context.edits.cut();
  if (node.type === 'TSExportAssignment') {
    expression(context, node.expression);
  } else if (node.type === 'TSModuleDeclaration' && !node.declare) {
    let { body } = node;
    while (body && body.type === 'TSModuleDeclaration') body = body.body;
    if (body && body.body) statements(context, body.body);
  }
}
