// The compact form in which positions travel to Python: base64 of little-endian Int32Arrays.

/** Line starts of a text; a line ends as ECMAScript says. */
export class Lines {
  constructor(text) {
    const starts = [0];
    const ends = /\r\n|[\n\r\u2028\u2029]/g;
    while (ends.exec(text)) starts.push(ends.lastIndex);
    this.starts = starts;
    this.length = text.length;
  }

  /** Index of the line (from 0) that holds an offset. */
  line(offset) {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Offset of a position (line and column from 0), or -1 outside of the text. */
  offset(line, column) {
    const start = this.starts[line];
    if (start === undefined || start + column > this.length) return -1;
    return start + column;
  }
}

/** base64 of an array of integers. */
export function pack(numbers) {
  const array = numbers instanceof Int32Array ? numbers : Int32Array.from(numbers);
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('base64');
}

/** Ranges [[start, end], ...] as line (from 1), column, end line, end column; four zeros for an empty one. */
export function positions(ranges, lines, place = (offset) => offset) {
  const out = new Int32Array(ranges.length * 4);
  let at = 0;
  for (const range of ranges) {
    if (range[1] > range[0]) {
      const start = place(range[0]);
      const end = place(range[1]);
      const first = lines.line(start);
      const last = lines.line(end);
      out[at] = first + 1;
      out[at + 1] = start - lines.starts[first];
      out[at + 2] = last + 1;
      out[at + 3] = end - lines.starts[last];
    }
    at += 4;
  }
  return out;
}

/**
 * Finder of the innermost of properly nested ranges around an offset: a list of the offsets at which the answer
 * changes, searched by bisection. The last of equal ranges is the innermost.
 */
export function innermost(ranges) {
  const order = [];
  ranges.forEach((range, index) => {
    if (range[1] > range[0]) order.push(index);
  });
  order.sort((a, b) => ranges[a][0] - ranges[b][0] || ranges[b][1] - ranges[a][1] || a - b);
  const offsets = [];
  const answers = [];
  const parents = new Int32Array(ranges.length).fill(-1);
  const stack = [];
  const note = (offset, answer) => {
    if (offsets.length && offsets[offsets.length - 1] === offset) answers[answers.length - 1] = answer;
    else {
      offsets.push(offset);
      answers.push(answer);
    }
  };
  const leave = (until) => {
    while (stack.length && ranges[stack[stack.length - 1]][1] <= until) {
      const end = ranges[stack.pop()][1];
      note(end, stack.length ? stack[stack.length - 1] : -1);
    }
  };
  for (const index of order) {
    leave(ranges[index][0]);
    if (stack.length) parents[index] = stack[stack.length - 1];
    stack.push(index);
    note(ranges[index][0], index);
  }
  leave(Infinity);
  const find = (offset) => {
    let low = -1;
    let high = offsets.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (offsets[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return low < 0 ? -1 : answers[low];
  };
  return { find, parents, order };
}

/**
 * The statements, functions and branches of one text.
 * `parsed` is acorn, babel or points (no syntax tree: positions that the source map alone gives).
 */
export function shape(result, lines, place) {
  const functions = innermost(result.functions.map((fn) => fn.range));
  const placed = (ranges) => pack(positions(ranges, lines, place));
  return {
    parsed: result.parser,
    statements: placed(result.statements),
    owner: pack(result.owner),
    functions: {
      names: result.functions.map((fn) => fn.name),
      decl: placed(result.functions.map((fn) => fn.decl)),
      loc: placed(result.functions.map((fn) => fn.loc)),
      parent: pack(functions.parents),
    },
    branches: {
      types: result.branches.map((branch) => branch.type),
      loc: placed(result.branches.map((branch) => branch.loc)),
      sizes: pack(result.branches.map((branch) => branch.arms.length)),
      arms: placed(result.branches.flatMap((branch) => branch.arms)),
      owner: pack(result.branchOwner),
    },
  };
}

/** How many statements, functions, arms and extra points were counted. */
export const sizesOf = (result) => [
  result.statements.length,
  result.functions.length,
  result.branches.reduce((sum, branch) => sum + branch.arms.length, 0),
  result.extra.length,
];
