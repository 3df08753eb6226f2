const store = new Store(window.localStorage);
const list = document.getElementById('list');
const editor = document.getElementById('editor');
let filter = 'all';
let current = null;

function render() {
  list.textContent = '';
  const shown = store.notes.filter((note) => filter === 'all' || !note.done);
  for (const note of shown) {
    list.append(row(note));
  }
  document.title = shown.length ? `Notebook (${shown.length})` : 'Notebook';
}

function row(note) {
  const item = document.createElement('li');
  const title = document.createElement('button');
  title.textContent = note.title;
  title.className = note.done ? 'done' : '';
  title.addEventListener('click', () => store.toggle(note.id));
  title.addEventListener('dblclick', () => openEditor(note));
  const remove = document.createElement('button');
  remove.textContent = 'Delete';
  remove.addEventListener('click', () => confirmRemoval(note));
  item.append(title, remove);
  return item;
}

function confirmRemoval(note) {
  if (note.text && !window.confirm('Delete a note with text?')) {
    return;
  }
  store.remove(note.id);
}

function openEditor(note) {
  current = note;
  document.getElementById('text').value = note.text;
  editor.showModal();
}

function saveText() {
  if (!current) {
    return;
  }
  current.text = document.getElementById('text').value;
  store.save();
  editor.close();
  celebrate(current);
}

function celebrate(note) {
  if (note.text.length > 500) {
    confetti();
  }
}

function confetti() {
  const colours = ['tomato', 'gold', 'teal'];
  for (const colour of colours) {
    const dot = document.createElement('span');
    dot.style.background = colour;
    document.body.append(dot);
  }
}

function exportNotes() {
  const lines = store.notes.map((note) => '- ' + note.title + '\n  ' + note.text.undefinedProperty.length);
  download('notes.txt', lines.join('\n'));
}

function download(name, text) {
  const link = document.createElement('a');
  link.href = 'data:text/plain,' + encodeURIComponent(text);
  link.download = name;
  link.click();
}

function onKey(event) {
  if (event.key === 'Escape') {
    editor.close();
  } else if (event.key === '/' && event.ctrlKey) {
    document.getElementById('title').focus();
  }
}

function importLegacy(text) {
  const rows = text.split('\n');
  const notes = rows.filter(Boolean).map((title) => store.add(title));
  return notes.length;
}

document.getElementById('add').addEventListener('submit', (event) => {
  event.preventDefault();
  const field = document.getElementById('title');
  if (field.value.trim()) {
    store.add(field.value);
    field.value = '';
  } else {
    console.error('Notebook: a note needs a title');
  }
});
document.getElementById('all').onclick = () => {
  filter = 'all';
  render();
};
document.getElementById('open').onclick = () => {
  filter = 'open';
  render();
};
document.getElementById('export').onclick = exportNotes;
document.getElementById('save').addEventListener('click', saveText);
document.addEventListener('keydown', onKey);
store.on('change', render);
render();
