import { createApp, reactive } from 'https://cdn.jsdelivr.net/npm/vue@3/dist/vue.esm-browser.prod.js';
import { marked } from 'https://cdn.jsdelivr.net/npm/marked@12/+esm';
import debounce from 'https://cdn.jsdelivr.net/npm/lodash@4/debounce/+esm';

const state = reactive({ notes: [{ title: 'First', text: '*Hello*' }], open: 0, saved: '' });
const save = debounce(() => { state.saved = JSON.stringify(state.notes); }, 200);

createApp({
  setup() {
    function add() {
      state.notes.push({ title: `Note ${state.notes.length + 1}`, text: '' });
      state.open = state.notes.length - 1;
      save();
    }
    function remove() {
      if (state.notes.length === 1) return;
      state.notes.splice(state.open, 1);
      state.open = Math.max(0, state.open - 1);
      save();
    }
    const shown = () => marked.parse(state.notes[state.open].text);
    return { state, add, remove, shown, save };
  },
  template: `
    <h1>Notes</h1>
    <button v-for="(note, index) in state.notes" @click="state.open = index">{{ note.title }}</button>
    <button @click="add">New note</button> <button @click="remove">Delete</button>
    <textarea aria-label="Text" v-model="state.notes[state.open].text" @input="save"></textarea>
    <article v-html="shown()"></article>
    <p>{{ state.saved ? 'saved' : 'not saved' }}</p>`,
}).mount('#app');
