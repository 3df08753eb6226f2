// What a function's syntax tree offers to a tester, like a fuzzer's dictionary: values it compares with, keys it looks
// for, names it calls.

import { walk } from './walk.mjs';

const CODES = {
  8: 'Backspace',
  9: 'Tab',
  13: 'Enter',
  16: 'Shift',
  17: 'Control',
  18: 'Alt',
  19: 'Pause',
  20: 'CapsLock',
  27: 'Escape',
  32: ' ',
  33: 'PageUp',
  34: 'PageDown',
  35: 'End',
  36: 'Home',
  37: 'ArrowLeft',
  38: 'ArrowUp',
  39: 'ArrowRight',
  40: 'ArrowDown',
  45: 'Insert',
  46: 'Delete',
  106: '*',
  107: '+',
  109: '-',
  110: '.',
  111: '/',
  186: ';',
  187: '=',
  188: ',',
  189: '-',
  190: '.',
  191: '/',
  192: '`',
  219: '[',
  220: '\\',
  221: ']',
  222: "'",
};
const NAMED = new Set(
  [...Object.values(CODES), 'Up', 'Down', 'Left', 'Right', 'Esc', 'Del', 'Spacebar', 'ContextMenu'].filter(
    (name) => name.length > 1,
  ),
);
const OLD_NAMES = {
  Up: 'ArrowUp',
  Down: 'ArrowDown',
  Left: 'ArrowLeft',
  Right: 'ArrowRight',
  Esc: 'Escape',
  Del: 'Delete',
  Spacebar: ' ',
  Space: ' ',
};
const LIMIT = 64;

/** KeyboardEvent.key for a key code, or '' for a code that no key has. */
export function keyOfCode(code) {
  if (CODES[code] !== undefined) return CODES[code];
  if (code >= 48 && code <= 57) return String.fromCharCode(code);
  if (code >= 65 && code <= 90) return String.fromCharCode(code + 32);
  if (code >= 96 && code <= 105) return String.fromCharCode(code - 48);
  return code >= 112 && code <= 123 ? `F${code - 111}` : '';
}

/** KeyboardEvent.key for a name as `key` or `code` has it: "KeyA" -> "a", "Esc" -> "Escape". */
export function keyOfName(name) {
  const match = /^(?:Key([A-Z])|Digit(\d)|Numpad(\d)|(F\d\d?))$/.exec(name);
  if (match) return (match[1] ?? match[2] ?? match[3] ?? match[4]).replace(/^[A-Z]$/, (letter) => letter.toLowerCase());
  if (OLD_NAMES[name]) return OLD_NAMES[name];
  return NAMED.has(name) || [...name].length === 1 ? name : '';
}

const CHORD =
  /^(?:(?:ctrl|control|cmd|command|meta|mod|alt|option|shift)\s*[+-]\s*)+(?:[a-z0-9]|[^\w\s]|enter|esc|escape|space|tab|delete|backspace|up|down|left|right|f\d\d?)$/i;
const MODIFIERS = {
  ctrl: 'Control',
  control: 'Control',
  cmd: 'Control',
  command: 'Control',
  mod: 'Control',
  meta: 'Meta',
  alt: 'Alt',
  option: 'Alt',
  shift: 'Shift',
};
const LOWER = Object.fromEntries([...NAMED].map((name) => [name.toLowerCase(), OLD_NAMES[name] ?? name]));

/** "ctrl+s" -> "Control+s", as shortcut libraries write chords; '' for other text. */
export function chordOf(text) {
  if (!CHORD.test(text)) return '';
  const parts = text.split(/\s*[+-]\s*/);
  const last = parts.pop().toLowerCase();
  const key = last === 'space' ? ' ' : (LOWER[last] ?? LOWER['arrow' + last] ?? last);
  return [...parts.map((part) => MODIFIERS[part.toLowerCase()]), key].join('+');
}

const nameOf = (node) =>
  node?.type === 'Identifier'
    ? node.name
    : node?.type === 'MemberExpression' || node?.type === 'PropertyDefinition'
      ? propertyName(node.property ?? node.key)
      : '';
const propertyName = (node) =>
  node?.type === 'Identifier' || node?.type === 'PrivateIdentifier'
    ? node.name
    : typeof node?.value === 'string'
      ? node.value
      : '';

const BY_CODE = /^(?:keyCode|which|charCode|keycode)$/;
const BY_NAME = /^(?:key|code|keyIdentifier|hotkey|shortcut)$/;
const COMPARISONS = new Set(['==', '===', '!=', '!==', '<', '>', '<=', '>=']);
const TESTS = new Set([
  'includes',
  'indexOf',
  'startsWith',
  'endsWith',
  'localeCompare',
  'equals',
  'match',
  'search',
  'test',
  'exec',
]);
const SHORTCUTS =
  /^(?:bind|hotkeys?|addHotkey|addShortcut|registerShortcut|shortcut|addKeybinding|register|on|add|keymap)$/;
const TYPES = new Set(['undefined', 'object', 'function', 'string', 'number', 'boolean', 'symbol', 'bigint']);

class Finds {
  constructor() {
    Object.assign(this, {
      literals: new Set(),
      keys: new Set(),
      calls: new Set(),
      patterns: new Set(),
      storage: new Set(),
    });
  }

  add(kind, value) {
    if (value !== '' && this[kind].size < LIMIT && String(value).length <= 200) this[kind].add(String(value));
  }

  pack(index) {
    const lists = ['literals', 'keys', 'calls', 'patterns', 'storage'].map((kind) => [...this[kind]]);
    return lists.some((list) => list.length) ? [[index, ...lists]] : [];
  }
}

/** The plain value of a literal, template without holes, or negative number; undefined for all else. */
function valueOf(node) {
  if (node?.type === 'Literal' && !node.regex && (typeof node.value === 'string' || typeof node.value === 'number'))
    return node.value;
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0)
    return node.quasis[0].value.cooked ?? undefined;
  if (node?.type === 'UnaryExpression' && node.operator === '-' && typeof node.argument.value === 'number')
    return -node.argument.value;
  return undefined;
}

function compare(finds, subject, value) {
  if (value === undefined) return;
  if (subject?.type === 'CallExpression' && /^to(?:Lower|Upper)Case$/.test(nameOf(subject.callee))) {
    if (BY_NAME.test(nameOf(subject.callee.object)) && typeof value === 'string')
      value = value.toLowerCase().length === 1 ? value.toLowerCase() : value;
    return compare(finds, subject.callee.object, value);
  }
  const name = nameOf(subject);
  if (typeof value === 'number' && BY_CODE.test(name)) finds.add('keys', keyOfCode(value));
  else if (typeof value === 'string' && (BY_NAME.test(name) || NAMED.has(value))) finds.add('keys', keyOfName(value));
  else if (subject?.type !== 'UnaryExpression' || !TYPES.has(value)) finds.add('literals', value);
}

function regex(finds, node) {
  if (node?.regex) finds.add('patterns', `/${node.regex.pattern}/${node.regex.flags}`);
}

const visitors = {
  BinaryExpression(node, finds) {
    if (!COMPARISONS.has(node.operator)) return;
    compare(finds, node.left, valueOf(node.right));
    compare(finds, node.right, valueOf(node.left));
  },
  SwitchStatement(node, finds) {
    for (const { test } of node.cases) compare(finds, node.discriminant, valueOf(test));
  },
  CallExpression(node, finds) {
    const { callee } = node;
    const name = nameOf(callee);
    finds.add('calls', name);
    const first = valueOf(node.arguments[0]);
    if (TESTS.has(name)) testCall(node, callee, first, finds);
    if (typeof first === 'string' && SHORTCUTS.test(name))
      for (const part of first.split(/\s*,\s*/)) finds.add('keys', chordOf(part));
    if (/^(?:getItem|setItem|removeItem)$/.test(name) && typeof first === 'string') finds.add('storage', first);
  },
  NewExpression(node, finds) {
    finds.add('calls', nameOf(node.callee));
    if (node.callee.name === 'RegExp' && typeof valueOf(node.arguments[0]) === 'string')
      finds.add('patterns', `/${valueOf(node.arguments[0])}/`);
  },
  MemberExpression(node, finds) {
    if (node.object.type === 'Identifier' && /Storage$/.test(node.object.name) && !/Item$/.test(nameOf(node)))
      finds.add('storage', nameOf(node));
  },
  ObjectExpression(node, finds) {
    const names = node.properties.map((property) =>
      property.key && !property.computed ? (property.key.name ?? property.key.value) : undefined,
    );
    const codes = names
      .filter((name) => typeof name === 'number' || /^\d+$/.test(String(name)))
      .map((name) => keyOfCode(Number(name)));
    if (
      codes.length === names.length &&
      codes.length > 1 &&
      codes.every(Boolean) &&
      codes.some((key) => key.length > 1)
    )
      codes.forEach((key) => finds.add('keys', key));
    for (const name of names)
      if (typeof name === 'string' && (NAMED.has(name) || /^Key[A-Z]$/.test(name))) finds.add('keys', keyOfName(name));
    for (const property of node.properties) keyProperty(property, finds);
  },
};

/** `{key: 'ctrl+s'}` and `{keyCode: 13}`, as key maps of editors list them. */
function keyProperty(property, finds) {
  const name = property.key && !property.computed ? propertyName(property.key) : '';
  const value = valueOf(property.value);
  if (typeof value === 'number' && BY_CODE.test(name)) finds.add('keys', keyOfCode(value));
  if (typeof value === 'string' && BY_NAME.test(name)) finds.add('keys', chordOf(value) || keyOfName(value));
}

function testCall(node, callee, first, finds) {
  if (callee.type !== 'MemberExpression') return;
  regex(finds, callee.object);
  regex(finds, node.arguments[0]);
  if (typeof first === 'string') compare(finds, callee.object, first);
  if (callee.object.type === 'ArrayExpression')
    for (const element of callee.object.elements) compare(finds, node.arguments[0], valueOf(element));
}

/**
 * Mines a syntax tree; `functions` are the nodes of the functions that have counters. The answer is a list of
 * [function's index or -1 for the top level, literals, keys, calls, patterns, storage keys].
 */
export function mineTree(tree, functions) {
  const indexOf = new Map(functions.map((node, index) => [node, index]));
  const finds = [new Finds()];
  walk(
    tree,
    (node, home) => {
      visitors[node.type]?.(node, finds[home]);
      const index = indexOf.get(node);
      if (index === undefined) return home;
      finds[index + 1] ??= new Finds();
      return index + 1;
    },
    0,
  );
  return finds.flatMap((found, at) => found?.pack(at - 1) ?? []);
}
