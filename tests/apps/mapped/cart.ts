export interface Item {
  name: string;
  price: number;
  count?: number;
}

export class Cart {
  #items: Item[] = [];
  static made = 0;
  owner: string;
  onChange = (item: Item) => {
    this.log(item.name);
  };

  constructor(owner: string) {
    this.owner = owner;
    Cart.made++;
  }

  add(item: Item, count = item.count || 1): boolean {
    if (!item.name) {
      this.log('no name');
      return false;
    }
    const known = this.#items.find((other) => other.name === item.name);
    if (known) {
      known.count = (known.count ?? 0) + count;
    } else {
      this.#items.push({ ...item, count });
    }
    this.onChange(item);
    return true;
  }

  get total(): number {
    return this.#items.reduce((sum, { price, count }) => sum + price * (count ?? 1), 0);
  }

  async send(): Promise<void> {
    if (this.#items.length > 1 && this.owner) {
      await null;
      throw new Error('offline');
    }
  }

  clear() {
    this.#items.length = 0;
  }

  private log(text: string) {
    switch (text) {
      case 'pen':
        this.#note('writes');
        break;
      case 'never':
        this.#note('never');
        break;
      default:
        this.#note(text);
    }
  }

  #note(text: string) {
    Object(text);
  }

  dump() {
    for (const item of this.#items) {
      this.log(item.name);
    }
    return this.#items.map((item) => item.name);
  }
}
