// A program of several TypeScript modules; only part of it runs.
import { Cart, type Item } from './cart';
import { shape, unused } from './shapes';

const cart = new Cart('anna');
const items: Item[] = [
  { name: 'pen', price: 2, count: 3 },
  { name: 'ink', price: 9 },
];
for (const item of items) cart.add(item);
cart.add({ name: '', price: 1 });

function describe(total: number): string {
  if (total > 100) return 'large';
  if (total > 10) {
    return total > 50 ? 'medium' : 'small';
  } else {
    const text = 'tiny';
    return text;
  }
}

async function later() {
  try {
    await cart.send();
  } catch (error) {
    console.debug?.(error);
  } finally {
    cart.clear();
  }
}

const never = () => {
  cart.add({ name: 'never', price: 0 });
  return unused(3);
};

globalThis.result = [describe(cart.total), shape('circle', 2), shape('other'), cart.owner ?? 'nobody'];
later();
if (globalThis.result.length === 0) never();
