// Pennywise: writes down what you spend. Everything that the user does arrives here.
import { Chart } from './chart.js';
import { Store } from './store.js';
import { toast } from './toast.js';
import { problemWith, warningFor } from './validate.js';

const $ = (id) => document.getElementById(id);
const store = new Store();
const chart = new Chart($('canvas'));
const view = { search: '', only: '', sorted: false };

function shownEntries() {
  const wanted = view.search.toLowerCase();
  const shown = store.entries.filter(
    ({ what, category }) => what.toLowerCase().includes(wanted) && (!view.only || category === view.only),
  );
  return shown.sort(view.sorted ? (a, b) => b.amount - a.amount : (a, b) => a.day.localeCompare(b.day));
}

function render() {
  const entries = shownEntries();
  $('list').replaceChildren(...entries.map(row));
  $('empty').hidden = entries.length > 0;
  const total = store.total();
  $('spent').textContent = total.toFixed(2);
  $('left').textContent = (store.budget - total).toFixed(2);
  $('left').classList.toggle('over', total > store.budget);
  const largest = store.entries.toSorted((a, b) => b.amount - a.amount)[0];
  $('largest').textContent = largest ? largest.what : 'none';
  chart.draw(store.byCategory());
}

function row(entry) {
  const item = document.createElement('li');
  const edit = document.createElement('button');
  edit.type = 'button';
  edit.className = 'entry';
  edit.append(cell('what', entry.what), cell('category', entry.category), cell('day', entry.day));
  edit.append(cell('amount', entry.amount.toFixed(2)));
  edit.addEventListener('click', () => openEditor(entry));
  const remove = document.createElement('button');
  remove.type = 'button';
  remove.className = 'remove';
  remove.textContent = '×';
  remove.setAttribute('aria-label', `Delete ${entry.what}`);
  remove.addEventListener('click', () => removeEntry(entry));
  item.append(edit, remove);
  return item;
}

function cell(name, text) {
  const span = document.createElement('span');
  span.className = name;
  span.textContent = text;
  return span;
}

function removeEntry(entry) {
  store.remove(entry.id);
  toast(`${entry.what} deleted`, undo);
  render();
}

function undo() {
  if (store.undo()) {
    render();
  }
}

function openEditor(entry) {
  const dialog = $('edit');
  const form = dialog.querySelector('form');
  form.what.value = entry.what;
  form.amount.value = entry.amount;
  dialog.returnValue = '';
  dialog.onclose = () => {
    if (dialog.returnValue === 'delete') {
      removeEntry(entry);
    } else if (dialog.returnValue === 'save') {
      store.change(entry.id, { what: form.what.value, amount: form.amount.valueAsNumber });
      toast('Saved');
      render();
    }
  };
  dialog.showModal();
}

function show(name) {
  for (const section of document.querySelectorAll('.view')) {
    section.hidden = section.id !== name;
  }
  for (const button of document.querySelectorAll('[data-view]')) {
    button.setAttribute('aria-current', button.dataset.view === name ? 'page' : 'false');
  }
}

function compareMonths() {
  const months = store.byMonth();
  const now = store.total(months['2026-03']);
  // Nobody has told this line that a first month has no month before it.
  const before = months['2026-02'].reduce((sum, entry) => sum + entry.amount, 0);
  $('reading').textContent = `${now.toFixed(2)} now, ${before.toFixed(2)} last month`;
}

$('add').addEventListener('submit', (event) => {
  event.preventDefault();
  const form = event.target;
  const entry = {
    what: form.what.value,
    amount: form.amount.valueAsNumber,
    day: form.day.value,
    category: form.category.value,
  };
  const problem = problemWith(entry);
  $('problem').textContent = problem ?? '';
  if (problem) {
    return;
  }
  store.add(entry);
  form.what.value = '';
  form.amount.value = '';
  const warning = store.warn && warningFor(store.total(), store.budget);
  toast(warning || `${entry.what} added`);
  render();
});

$('search').addEventListener('input', (event) => {
  view.search = event.target.value;
  render();
});
$('only').addEventListener('change', (event) => {
  view.only = event.target.value;
  render();
});
$('sort').addEventListener('click', (event) => {
  view.sorted = !view.sorted;
  event.target.textContent = view.sorted ? 'Sort by day' : 'Sort by amount';
  render();
});
$('export').addEventListener('click', () => {
  const lines = shownEntries().map(({ day, category, what, amount }) => [day, category, what, amount].join(';'));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([lines.join('\n')], { type: 'text/csv' }));
  link.download = 'pennywise.csv';
  link.click();
});

for (const style of ['bars', 'ring']) {
  $(style).addEventListener('click', () => {
    chart.style = style;
    $('bars').setAttribute('aria-pressed', style === 'bars');
    $('ring').setAttribute('aria-pressed', style === 'ring');
    chart.draw(store.byCategory());
  });
}
$('compare').addEventListener('click', compareMonths);
$('canvas').addEventListener('mousemove', (event) => {
  const scale = $('canvas').width / $('canvas').clientWidth;
  const area = chart.at(event.offsetX * scale, event.offsetY * scale);
  $('reading').textContent = area ? `${area.category}: ${area.sum.toFixed(2)}` : 'Point at the chart to read it.';
});

$('budget').value = store.budget;
$('budget-shown').textContent = store.budget;
$('budget').addEventListener('input', (event) => {
  store.budget = event.target.valueAsNumber;
  $('budget-shown').textContent = store.budget;
  store.save();
  render();
});
$('warn').checked = store.warn;
$('warn').addEventListener('change', (event) => {
  store.warn = event.target.checked;
  store.save();
});
$('wipe').addEventListener('click', () => {
  if (confirm('Delete all entries?')) {
    store.wipe();
    render();
  }
});

$('theme').addEventListener('click', (event) => {
  const dark = document.documentElement.dataset.theme !== 'dark';
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  event.target.setAttribute('aria-pressed', dark);
  event.target.textContent = dark ? 'Light' : 'Dark';
  render();
});
$('help').addEventListener('click', () => $('keys').showModal());
document.querySelector('nav').addEventListener('click', (event) => {
  if (event.target.dataset.view) {
    show(event.target.dataset.view);
  }
});

document.addEventListener('keydown', (event) => {
  if (event.target.matches('input, select, textarea') || event.ctrlKey || event.metaKey) {
    return;
  }
  switch (event.key) {
    case 'n':
      event.preventDefault();
      show('entries');
      $('add').what.focus();
      break;
    case '/':
      event.preventDefault();
      show('entries');
      $('search').focus();
      break;
    case 'u':
      undo();
      break;
    case '?':
      $('keys').showModal();
      break;
    case '1':
    case '2':
    case '3':
      show(['entries', 'chart', 'goals'][event.key - 1]);
      break;
    default:
  }
});

render();
