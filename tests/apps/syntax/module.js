import { Counter, steps } from './parts.js';

const show = (text) => (document.getElementById('out').textContent = text);

document.getElementById('classes').addEventListener('click', () => {
  const counter = new Counter();
  show(`${counter.next()} ${counter.total} ${Counter.made} ${[...steps(3)].join()}`);
  if (counter.total > 100) show('never');
});

document.getElementById('waiting').addEventListener('click', async () => {
  show('waiting');
  await Promise.resolve();
  show('resolved');
  if (await later(50)) {
    show('later');
  } else {
    show('never');
  }
  await new Promise(() => {});
  show('never after this');
});

async function later(ms) {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return ms > 10;
}

export async function untouched({ size = 3 } = {}) {
  return size;
}
