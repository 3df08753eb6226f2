// The coverage curve: pointing at a step, or the arrow keys, tell what it did; a click goes to its frame.
import { byId, make } from './dom.js';

/** Takes the columns' titles over as a tip that follows the cursor. */
export function startPlot() {
  const plot = byId('plot');
  if (!plot) return;
  const columns = [...plot.querySelectorAll('.column')];
  const texts = columns.map((column) => column.querySelector('title').textContent);
  columns.forEach((column) => column.querySelector('title').remove());
  const tip = make('div', 'tip');
  tip.setAttribute('role', 'status');
  tip.hidden = true;
  plot.parentElement.append(tip);
  let current = -1;

  const show = (index) => {
    current = Math.min(Math.max(index, 0), columns.length - 1);
    place(plot, columns[current], tip, texts[current]);
  };
  const hide = () => {
    tip.hidden = true;
    byId('plot-cursor').classList.remove('on');
  };
  const go = () => {
    location.hash = `step-${columns[current].dataset.step}`;
  };

  plot.addEventListener('pointermove', (event) => {
    const index = columns.indexOf(event.target);
    if (index >= 0) show(index);
  });
  plot.addEventListener('pointerleave', hide);
  plot.addEventListener('blur', hide);
  plot.addEventListener('click', (event) => {
    const index = columns.indexOf(event.target);
    if (index >= 0) show(index), go();
  });
  plot.addEventListener('keydown', (event) => {
    const next = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: columns.length - 1 }[event.key];
    if (next !== undefined) show(next);
    else if (event.key === 'Enter' && current >= 0) go();
    else return;
    event.preventDefault();
  });
}

function place(plot, column, tip, text) {
  const box = column.getBoundingClientRect();
  const outer = plot.parentElement.getBoundingClientRect();
  const middle = box.left + box.width / 2;
  const inPlot = middle - plot.getBoundingClientRect().left;
  const cursor = byId('plot-cursor');
  cursor.setAttribute('x1', inPlot);
  cursor.setAttribute('x2', inPlot);
  cursor.classList.add('on');
  tip.textContent = text;
  tip.hidden = false;
  // On the side of the cursor that has room.
  const left = middle - outer.left + 12;
  tip.style.left = left + tip.offsetWidth > outer.width ? `${Math.max(0, left - 24 - tip.offsetWidth)}px` : `${left}px`;
}
