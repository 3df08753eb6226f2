// Apps that arrive instrumented: the coverage objects that Istanbul-like instrumenters leave in the code as plain literals.
import * as acorn from 'acorn';

const NAMES = ['path', 'statementMap', 'fnMap', 'branchMap'];

/** Value of a literal, array or object of literals; throws an Error for anything that would have to be run. */
function evaluate(node) {
  switch (node.type) {
    case 'Literal':
      return node.value;
    case 'UnaryExpression':
      if (node.operator === 'void') return undefined;
      return node.operator === '-'
        ? -evaluate(node.argument)
        : node.operator === '!'
          ? !evaluate(node.argument)
          : node.argument.value;
    case 'BinaryExpression': // 1/0, as minifiers write endless columns
      if (node.operator === '/') return evaluate(node.left) / evaluate(node.right);
      throw new Error(`${node.operator} is no plain value`);
    case 'TemplateLiteral':
      return node.quasis[0].value.cooked;
    case 'Identifier':
      return undefined;
    case 'ArrayExpression':
      return node.elements.map(evaluate);
    case 'ObjectExpression':
      return Object.fromEntries(
        node.properties.map((property) => [property.key.name ?? property.key.value, evaluate(property.value)]),
      );
    default:
      throw new Error(`${node.type} is not a plain value`);
  }
}

const isCoverage = (node) => {
  const names = new Set(node.properties.map((property) => property.key?.name ?? property.key?.value));
  return NAMES.every((name) => names.has(name));
};

/** Istanbul's coverage objects in the text of a script: `[{path, statementMap, fnMap, branchMap}, ...]`. */
export function embeddedCoverage(code) {
  const found = [];
  const parse = (sourceType) =>
    acorn.parse(code, {
      ecmaVersion: 'latest',
      sourceType,
      allowHashBang: true,
      allowReturnOutsideFunction: sourceType === 'script',
    });
  let tree;
  try {
    tree = parse('script');
  } catch {
    tree = parse('module');
  }
  const stack = [tree];
  while (stack.length) {
    const node = stack.pop();
    if (node.type === 'ObjectExpression' && isCoverage(node)) {
      const value = evaluate({
        ...node,
        properties: node.properties.filter((property) => NAMES.includes(property.key.name ?? property.key.value)),
      });
      found.push(value);
      continue;
    }
    for (const name in node) {
      const child = node[name];
      if (Array.isArray(child)) for (const item of child) item?.type && stack.push(item);
      else if (typeof child?.type === 'string') stack.push(child);
    }
  }
  return found;
}
