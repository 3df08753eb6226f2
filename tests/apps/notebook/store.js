// Notes, kept in localStorage.
const KEY = 'notebook';

class Store extends Emitter {
  constructor(storage) {
    super();
    this.storage = storage;
    this.notes = this.load();
  }

  load() {
    const raw = this.storage.getItem(KEY);
    if (!raw) {
      return [];
    }
    try {
      return JSON.parse(raw);
    } catch (error) {
      console.error('Notebook: storage is damaged', error);
      return [];
    }
  }

  save() {
    this.storage.setItem(KEY, JSON.stringify(this.notes));
    this.emit('change', this.notes);
  }

  add(title) {
    const note = { id: this.notes.length + 1, title: title.trim(), text: '', done: false };
    this.notes.push(note);
    this.save();
    return note;
  }

  toggle(id) {
    const note = this.find(id);
    note.done = !note.done;
    this.save();
  }

  remove(id) {
    this.notes = this.notes.filter((note) => note.id !== id);
    this.save();
  }

  find(id) {
    const note = this.notes.find((item) => item.id === id);
    if (!note) {
      throw new Error(`No note ${id}`);
    }
    return note;
  }

  migrate(version) {
    switch (version) {
      case 1:
        return this.notes.map((note) => Object.assign({ text: '' }, note));
      case 2:
        return this.notes;
      default:
        throw new Error('Unknown version ' + version);
    }
  }
}
