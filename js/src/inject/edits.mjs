// Insertions into a text: collected in the order of the walk, put in at the end. Nothing is ever reprinted.
//
// Each inserted piece can be told from the app's own text, so that strip.mjs can take all of them out again:
// a counter by its name, a bracket by the marker before it.
import { ALIAS, MARKER as M } from './names.mjs';

/** Forms of a counter in the text. C is `N()[1]++`, or `_cv[1]++` in a function that has the array in `_cv`. */
export const STATEMENT_FORM = 0; //    C;
export const BLOCK_FORM = 1; //        {C;        a block around what stood alone
export const WRAP_FORM = 2; //         (C,        brackets around an expression
export const MEMBER_FORM = 3; //       C,         before a later member of a sequence
export const PAREN_MEMBER_FORM = 4; // C,         the same behind a bracket of the source's own
export const ELSE_FORM = 5; //         else{C}    where an if has no else
export const TAIL_FORM = 6; //         ;{C}       behind a directive that ends without a semicolon
export const STATIC_FORM = 7; //       static{C}  before a static field with a computed name
export const FIELD_FORM = 8; //        #_cv1=C;   before another field with a computed name
export const ENTRY_FORM = 9; //        var _cv=N();C;

const BEFORE = ['', `${M}{`, '(', '', M, 'else{', ';{', `${M}static{`, `${M}#${ALIAS}`, `var ${ALIAS}=`];
const AFTER = [';', ';', ',', ',', ',', '}', '}', '}', ';', ';'];
const PLAIN = -1;

export class Edits {
  constructor() {
    /** Whether the code that is being walked has the array in a variable of its own. */
    this.local = false;
    /** How many counters of the function that is being walked use that variable. */
    this.uses = 0;
    /** The counter that ran last, where nothing since can have thrown, jumped or repeated; else null. */
    this.adjacent = null;
    /** [kind, index, the counter that counts for it as well]. */
    this.shared = [];
    this.keys = [];
    this.texts = [];
    this.forms = [];
    this.kinds = [];
    this.indices = [];
    this.locals = [];
    this.last = -1;
    this.sorted = true;
  }

  /** From here on counts may differ from the last counter's: something can throw, jump or repeat. */
  cut() {
    this.adjacent = null;
  }

  /**
   * A counter before what starts at `position`; none where the last one always has the same count.
   *
   * @param {number} position
   * @param {number} form
   * @param {number} kind
   * @param {number} index among its kind
   * @param {string} [text] put between the counter and what starts there
   * @returns {boolean} whether it was put in
   */
  hit(position, form, kind, index, text = '') {
    if (this.adjacent !== null) {
      this.shared.push([kind, index, this.adjacent]);
      return false;
    }
    this.adjacent = { kind, index };
    this.#add(position * 2 + 1, text, form, kind, index);
    return true;
  }

  /** A counter behind what ends at `position`. */
  hitAfter(position, form, kind, index) {
    this.#add(position * 2, '', form, kind, index);
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
    this.locals.push(this.local);
    if (this.local && form !== PLAIN) this.uses++;
  }

  /** Number of the latest insertion. */
  latest() {
    return this.keys.length - 1;
  }

  /** Makes a function's entry counter a plain one: no other counter would use the variable. */
  simplify(insertion) {
    this.forms[insertion] = STATEMENT_FORM;
    this.locals[insertion] = false;
  }

  /**
   * @param {string} code
   * @param {string} array what the array is called where no variable has it: `NAME()`
   * @param {number[]} bases first slot of each kind
   * @returns {string} the code with everything put in
   */
  apply(code, array, bases) {
    const { keys, texts, forms, kinds, indices, locals } = this;
    const order = this.sorted ? null : this.#order();
    const far = `${array}[`;
    const entry = `${array};${ALIAS}[`;
    const near = `${ALIAS}[`;
    let out = '';
    let done = 0;
    for (let k = 0; k < keys.length; k++) {
      const i = order === null ? k : order[k];
      const position = keys[i] >> 1;
      if (position > done) {
        out += code.slice(done, position);
        done = position;
      }
      const form = forms[i];
      if (form !== PLAIN) {
        const slot = bases[kinds[i]] + indices[i];
        out += BEFORE[form];
        if (form === FIELD_FORM) out += `${slot}=`;
        out += (form === ENTRY_FORM ? entry : locals[i] ? near : far) + slot + ']++' + AFTER[form];
      }
      out += texts[i];
    }
    return out + code.slice(done);
  }

  /** Nearly sorted already: only counters that run early go back to a statement's start. */
  #order() {
    const { keys } = this;
    const order = Array.from(keys, (_, i) => i);
    return order.sort((a, b) => keys[a] - keys[b] || a - b);
  }
}
