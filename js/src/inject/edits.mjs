// Insertions into a text: collected in the order of the walk, put in at the end. Nothing is ever reprinted.
//
// Each inserted piece can be told from the app's own text, so that strip.mjs can take all of them out again:
// a counter by its name, a bracket by the marker before it (a vertical tab: white space to JavaScript, no
// line end, and in practice absent from source text).

/** Forms of a counter in the text: what goes before it and after it. */
export const STATEMENT_FORM = 0; // N()[1]++;
export const BLOCK_FORM = 1; //     {N()[1]++; ... }
export const WRAP_FORM = 2; //      (N()[1]++, ... )
export const MEMBER_FORM = 3; //    N()[1]++, ...        before a later member of a sequence
export const PAREN_MEMBER_FORM = 4; //                   the same behind a bracket of the source's own
export const ELSE_FORM = 5; //      else{N()[1]++}       where an if has no else
export const TAIL_FORM = 6; //      ;{N()[1]++}          behind a directive that ends without a semicolon
export const STATIC_FORM = 7; //    static{N()[1]++}     before a static field
export const FIELD_FORM = 8; //     #_N=N()[1]++;        before a field with a computed name

/** Inserted text by marker `m` and accessor's name `n`. */
function forms(m, n) {
  return {
    before: ['', `${m}{`, '(', '', m, 'else{', ';{', `${m}static{`, `${m}#_${n}=`],
    after: [';', ';', ',', ',', ',', '}', '}', '}', ';'],
  };
}

const PLAIN = -1;

export class Edits {
  /** @param {string} marker */
  constructor(marker) {
    this.marker = marker;
    this.endParen = marker + ')';
    this.endBlock = marker + '}';
    this.keys = [];
    this.texts = [];
    this.forms = [];
    this.kinds = [];
    this.indices = [];
    this.last = -1;
    this.sorted = true;
  }

  /** A counter before what starts at `position`. */
  hit(position, form, kind, index) {
    this.#add(position * 2 + 1, '', form, kind, index);
  }

  /** A counter behind what ends at `position`. */
  hitAfter(position, form, kind, index) {
    this.#add(position * 2, '', form, kind, index);
  }

  /** A counter with text of its own between it and what starts at `position`. */
  hitWithText(position, form, kind, index, text) {
    this.#add(position * 2 + 1, text, form, kind, index);
  }

  /** Text before what starts at `position`; of two such the first one stays outside. */
  open(position, text) {
    this.#add(position * 2 + 1, text, PLAIN, 0, 0);
  }

  /** Text behind what ends at `position`; of two such the first one stays inside. */
  close(position, text) {
    this.#add(position * 2, text, PLAIN, 0, 0);
  }

  /** Sets the text of the insertion that was made first. */
  setFirst(text) {
    this.texts[0] = text;
  }

  #add(key, text, form, kind, index) {
    if (key < this.last) this.sorted = false;
    this.last = key;
    this.keys.push(key);
    this.texts.push(text);
    this.forms.push(form);
    this.kinds.push(kind);
    this.indices.push(index);
  }

  /**
   * @param {string} code
   * @param {string} name the accessor's
   * @param {number[]} bases first slot of each kind
   * @returns {string} the code with everything put in
   */
  apply(code, name, bases) {
    const { before, after } = forms(this.marker, name);
    const call = `${name}()[`;
    const { keys, texts, forms: used, kinds, indices } = this;
    const order = this.sorted ? null : this.#order();
    let out = '';
    let done = 0;
    for (let k = 0; k < keys.length; k++) {
      const i = order === null ? k : order[k];
      const position = keys[i] >> 1;
      if (position > done) {
        out += code.slice(done, position);
        done = position;
      }
      const form = used[i];
      if (form !== PLAIN) out += before[form] + call + (bases[kinds[i]] + indices[i]) + ']++' + after[form];
      out += texts[i];
    }
    return out + code.slice(done);
  }

  #order() {
    const { keys } = this;
    const order = Array.from(keys, (_, i) => i);
    return order.sort((a, b) => keys[a] - keys[b] || a - b);
  }
}
