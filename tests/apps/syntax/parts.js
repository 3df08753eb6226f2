export class Counter {
  static made = 0;
  #value = start();
  label = 'counter';
  handler = () => this.#value;
  static #secret = (() => 42)();
  static {
    Counter.made += 1;
  }

  get total() {
    return this.#value;
  }

  set total(value) {
    this.#value = value;
  }

  next(by = 1) {
    this.#value += by;
    return this.handler() ?? Counter.#secret;
  }

  async never() {
    return this.label;
  }

  static *sequence() {
    yield 1;
  }
}

class Unused {
  field = start();
}

function start() {
  return Unused ? 10 : 0;
}

export function* steps(most) {
  let step = 0;
  while (step < most) {
    yield step++;
  }
  return step;
}
