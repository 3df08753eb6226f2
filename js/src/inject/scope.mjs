// Names that a script declares itself, as far as the accessor must not meet them.

const GLOBALS = ['globalThis', 'self', 'window', 'frames'];

/**
 * @param {string} code
 * @param {object} ast
 * @returns {string} a name of the global object that no declaration of the script's top level hides
 */
export function globalName(code, ast) {
  if (!code.includes('globalThis')) return 'globalThis';
  const declared = new Set();
  for (const node of ast.body) collect(node, declared);
  return GLOBALS.find((name) => !declared.has(name)) ?? 'globalThis';
}

function collect(node, names) {
  switch (node?.type) {
    case 'VariableDeclaration':
      for (const one of node.declarations) collectPattern(one.id, names);
      break;
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      if (node.id) names.add(node.id.name);
      break;
    case 'ImportDeclaration':
      for (const one of node.specifiers) names.add(one.local.name);
      break;
    case 'ExportNamedDeclaration':
    case 'ExportDefaultDeclaration':
      collect(node.declaration, names);
      break;
    default:
  }
}

function collectPattern(node, names) {
  switch (node?.type) {
    case 'Identifier':
      names.add(node.name);
      break;
    case 'ObjectPattern':
      for (const one of node.properties) collectPattern(one.value ?? one.argument, names);
      break;
    case 'ArrayPattern':
      for (const one of node.elements) collectPattern(one, names);
      break;
    case 'AssignmentPattern':
      collectPattern(node.left, names);
      break;
    case 'RestElement':
      collectPattern(node.argument, names);
      break;
    default:
  }
}
