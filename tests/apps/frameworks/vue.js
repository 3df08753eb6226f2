import { createApp, h, ref } from 'vue/dist/vue.runtime.esm-bundler.js';
function add() { __cv00000000aa()[1]++; }
function edit() { __cv00000000aa()[2]++; }
function type() { __cv00000000aa()[3]++; }
function outer() { __cv00000000aa()[4]++; }
createApp({
  setup() {
    const count = ref(0);
    return () => h('div', { onClick: outer }, [
      h('button', { onClick: () => count.value++ }, `Count ${count.value}`),
      h('button', { onClick: add }, 'Add'), h('span', { onDblclick: edit }, 'Edit me'), h('input', { 'aria-label': 'Text', onInput: [type] }),
    ]);
  },
}).mount('#root');
