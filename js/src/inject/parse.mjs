// Source text to an ESTree: acorn first, Babel's parser for the syntax that acorn does not know.
import * as acorn from 'acorn';
import * as babel from '@babel/parser';

/** A line that begins like a module's; only decides which goal is tried first. */
const LOOKS_LIKE_MODULE = /(?:^|[;}\s])(?:import\s*(?:[{*"'\w$]|\.\s*meta)|export\s*(?:[{*]|default\b|const\b|let\b|var\b|function\b|class\b|async\b))/;

/**
 * Parses a script or module.
 *
 * @param {string} code
 * @param {{goal?: 'script' | 'module' | 'url' | 'auto', jsx?: boolean, typescript?: boolean, handler?: boolean}} [options]
 * @param {object[]} [comments] filled with the comments where given
 * @returns {{ast: object, goal: 'script' | 'module', parser: 'acorn' | 'babel'}} `ast` is an ESTree Program
 * @throws {SyntaxError} where no parser and goal fits: acorn's error of the first goal tried, or Babel's for JSX and TypeScript
 */
export function parse(code, options = {}, comments = undefined) {
  const goals = goalsToTry(code, options);
  let first = null;
  if (!options.typescript) {
    for (const goal of goals) {
      try {
        return { ast: parseAcorn(code, goal, options, comments), goal, parser: 'acorn' };
      } catch (error) {
        first ??= error;
        if (comments) comments.length = 0;
      }
    }
  }
  const preferBabelError = options.jsx || options.typescript;
  for (const goal of goals) {
    try {
      const file = parseBabel(code, goal, options);
      if (comments) for (const comment of file.comments) comments.push(comment);
      return { ast: file.program, goal, parser: 'babel' };
    } catch (error) {
      if (preferBabelError && !(first instanceof BabelError)) first = new BabelError(error);
    }
  }
  // A transpiler in the page need not be told in the tag that it reads TypeScript.
  if (options.jsx && !options.typescript) {
    try {
      return parse(code, { ...options, typescript: true }, comments);
    } catch {
      // The first error tells of the language that was meant.
    }
  }
  throw first;
}

/** Babel's error in acorn's form: the message ends with `(line:column)`, `pos` is the offset. */
class BabelError extends SyntaxError {
  constructor(cause) {
    super(cause.message);
    this.pos = cause.pos;
    this.loc = cause.loc;
  }
}

function goalsToTry(code, options) {
  if (options.handler || options.goal === 'url') return ['script'];
  if (options.goal === 'script' || options.goal === 'module') return [options.goal];
  return LOOKS_LIKE_MODULE.test(code) ? ['module', 'script'] : ['script', 'module'];
}

function parseAcorn(code, goal, options, comments) {
  return acorn.parse(code, {
    ecmaVersion: 'latest',
    sourceType: goal,
    allowHashBang: true,
    allowReturnOutsideFunction: mayReturn(options),
    onComment: comments,
  });
}

/** A handler attribute is a function's body; code of unknown goal may be CommonJS, which is one as well. */
function mayReturn(options) {
  return options.handler === true || (options.goal ?? 'auto') === 'auto';
}

function parseBabel(code, goal, options) {
  const plugins = [['estree', { classFeatures: true }], 'decorators', 'decoratorAutoAccessors', 'explicitResourceManagement'];
  plugins.push('deferredImportEvaluation', 'sourcePhaseImports');
  if (options.jsx) plugins.push('jsx');
  if (options.typescript) plugins.push('typescript');
  else if (options.jsx) plugins.push('flow');
  return babel.parse(code, {
    sourceType: goal,
    plugins,
    attachComment: false,
    allowReturnOutsideFunction: mayReturn(options),
  });
}
