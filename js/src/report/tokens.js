// A small tokenizer for colouring: JavaScript and TypeScript, and html with scripts in it. It never fails; what it
// does not know stays plain.

/** Kinds of tokens; the page's style has a class t1 ... t5 for each. */
export const COMMENT = 1;
export const STRING = 2;
export const KEYWORD = 3;
export const NUMBER = 4;
export const NAME = 5;

const KEYWORDS = new Set(
  `abstract as async await break case catch class const continue debugger declare default delete do else enum export
  extends false finally for from function get if implements import in instanceof interface let namespace new null of
  private protected public readonly return set static super switch this throw true try type typeof undefined var void
  while with yield`.split(/\s+/),
);

const LEXEME =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?|\b(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?\d+)?)n?|[A-Za-z_$][\w$]*|[^\s]/gy;
const SPACE = /\s*/gy;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/gy;
const TEMPLATE_PART = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/gy;
// After one of these a slash divides; after anything else it begins a regular expression.
const ENDS_VALUE = /^(?:[\w$)\]}]|["'`])/;

/**
 * Tokens of a source text as flat triples: start, end, kind, in order, without overlap.
 * @param {string} text
 * @param {string} path its extension tells the language
 * @returns {number[]}
 */
export function tokenize(text, path) {
  const tokens = [];
  if (/\.(?:html?|vue|svelte|xhtml)$/i.test(path)) scanMarkup(text, tokens);
  else scanScript(text, 0, text.length, tokens);
  return tokens;
}

function match(pattern, text, at) {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  return found ? found[0] : '';
}

function scanScript(text, start, end, tokens) {
  let at = start;
  let last = '';
  // One entry for each open template: how many braces are open inside its current ${}.
  const templates = [];
  while (at < end) {
    at += match(SPACE, text, at).length;
    if (at >= end) break;
    const letter = text[at];
    if (letter === '`' || (letter === '}' && templates.at(-1) === 0)) {
      if (letter === '}') templates.pop();
      const part = match(TEMPLATE_PART, text, at + 1);
      const opens = text.startsWith('${', at + 1 + part.length);
      const stop = Math.min(end, at + part.length + (opens ? 3 : 2));
      if (opens) templates.push(0);
      tokens.push(at, stop, STRING);
      last = opens ? '{' : '`';
      at = stop;
      continue;
    }
    const regex = letter === '/' && !ENDS_VALUE.test(last) ? match(REGEX, text, at) : '';
    const comment = text.startsWith('//', at) || text.startsWith('/*', at);
    const lexeme = !comment && regex ? regex : match(LEXEME, text, at) || letter;
    const kind = !comment && regex ? STRING : kindOf(lexeme, text, at);
    if (kind) tokens.push(at, Math.min(end, at + lexeme.length), kind);
    if (letter === '{' && templates.length) templates[templates.length - 1]++;
    if (letter === '}' && templates.length) templates[templates.length - 1]--;
    if (kind !== COMMENT) last = kind === KEYWORD && lexeme !== 'this' && lexeme !== 'super' ? '=' : lexeme.at(-1);
    at += lexeme.length;
  }
}

function kindOf(lexeme, text, at) {
  const letter = lexeme[0];
  if (lexeme.startsWith('//') || lexeme.startsWith('/*')) return COMMENT;
  if (letter === '"' || letter === "'") return STRING;
  if (letter >= '0' && letter <= '9') return NUMBER;
  if (!/[A-Za-z_$]/.test(letter)) return 0;
  if (KEYWORDS.has(lexeme) && text[at - 1] !== '.') return KEYWORD;
  return text[at + lexeme.length] === '(' ? NAME : 0;
}

const MARKUP = /<!--[\s\S]*?(?:-->|$)|<(script)\b[^>]*>|<\/?[A-Za-z][^\s/>]*|"[^"<>]*"|'[^'<>]*'/gi;
const SCRIPT_END = /<\/script/gi;

function scanMarkup(text, tokens) {
  MARKUP.lastIndex = 0;
  for (let found = MARKUP.exec(text); found; found = MARKUP.exec(text)) {
    const [lexeme] = found;
    const end = found.index + lexeme.length;
    if (lexeme.startsWith('<!--')) tokens.push(found.index, end, COMMENT);
    else if (lexeme[0] === '<') tokens.push(found.index, found[1] ? found.index + 7 : end, KEYWORD);
    else tokens.push(found.index, end, STRING);
    if (!found[1]) continue;
    SCRIPT_END.lastIndex = end;
    const closing = SCRIPT_END.exec(text)?.index ?? text.length;
    scanScript(text, end, closing, tokens);
    MARKUP.lastIndex = closing;
  }
}
