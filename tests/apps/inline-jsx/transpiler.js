// A transpiler in the page, as Babel is one: JSX becomes calls of h(), with a source map unless the tag says data-map="none".
const WORD = /[\w$]+|"[^"]*"|'[^']*'|\s+|=>|[^]/y;
const OPENS = /(?:^|[(,=>?:&|[{;]|\breturn)\s*$/;

class Transpiler {
  constructor(source) {
    Object.assign(this, { source, at: 0, made: '', pieces: [] });
  }

  /** Writes text that stands for what is read at an offset. */
  write(text, from) {
    this.pieces.push([this.made.length, from]);
    this.made += text;
  }

  match(pattern) {
    const sticky = new RegExp(pattern, 'y');
    sticky.lastIndex = this.at;
    const found = sticky.exec(this.source);
    if (found) this.at = sticky.lastIndex;
    return found?.[0];
  }

  /** Code until the bracket that closes around it, or the end. */
  code() {
    for (let depth = 0; this.at < this.source.length; ) {
      const from = this.at;
      if (/<[\w>]/.test(this.source.slice(from, from + 2)) && OPENS.test(this.source.slice(0, from))) {
        this.element();
        continue;
      }
      WORD.lastIndex = from;
      const [text] = WORD.exec(this.source);
      if (text === '{') depth += 1;
      if (text === '}' && depth-- === 0) return;
      this.at += text.length;
      this.write(text, from);
    }
  }

  braces() {
    this.at += 1;
    this.code();
    this.at += 1;
  }

  element() {
    const from = this.at;
    this.at += 1;
    const name = this.match('\\w+');
    this.write(`h(${/^[A-Z]/.test(name) ? name : `'${name}'`}, {`, from);
    while (this.match('\\s*(?!/?>)') !== undefined) this.attribute();
    this.write('}', this.at);
    if (!this.match('\\s*/>')) this.children();
    this.write(')', this.at);
  }

  attribute() {
    this.write(` ${this.match('[\\w]+')}: `, this.at);
    this.at += 1;
    if (this.source[this.at] === '{') this.braces();
    else this.write(this.match('"[^"]*"'), this.at);
    this.write(',', this.at);
  }

  children() {
    this.match('\\s*>\\s*');
    while (!this.match('</\\w+>')) {
      this.write(', ', this.at);
      const from = this.at;
      if (this.source[from] === '<') this.element();
      else if (this.source[from] === '{') this.braces();
      else this.write(JSON.stringify(this.match('[^<{]+')), from);
      this.match('\\s*(?=[<{])');
    }
  }
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function digits(number) {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1;
  let text = '';
  do {
    const more = rest >>> 5;
    text += DIGITS[(rest & 31) | (more ? 32 : 0)];
    rest = more;
  } while (rest);
  return text;
}

function position(text, offset) {
  const before = text.slice(0, offset).split('\n');
  return [before.length - 1, before.at(-1).length];
}

function mapOf({ source, made, pieces }) {
  const lines = made.split('\n').map(() => []);
  let last = [0, 0];
  for (const [to, from] of pieces) {
    const [line, column] = position(made, to);
    const there = position(source, from);
    const before = lines[line].at(-1)?.column ?? 0;
    const text = digits(column - before) + digits(0) + digits(there[0] - last[0]) + digits(there[1] - last[1]);
    lines[line].push({ column, text });
    last = there;
  }
  const mappings = lines.map((line) => line.map(({ text }) => text).join(',')).join(';');
  return { version: 3, sources: ['Inline Babel script'], sourcesContent: [source], names: [], mappings };
}

addEventListener('DOMContentLoaded', () => {
  for (const script of document.querySelectorAll('script[type="text/babel"]')) {
    const work = new Transpiler(script.text);
    work.code();
    const running = document.createElement('script');
    if (script.dataset.type) running.type = script.dataset.type;
    running.text = work.made;
    if (script.dataset.map !== 'none')
      running.text += `\n//# sourceMappingURL=data:application/json;base64,${btoa(JSON.stringify(mapOf(work)))}`;
    document.head.append(running);
  }
});
