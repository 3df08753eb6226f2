// A template engine: tokens, closures and string building.
function run() {
  const source = '<li class="{{kind}}">{{#if done}}<s>{{title}}</s>{{/if}} {{title}} ({{count}})</li>';
  let length = 0;
  for (let round = 0; round < 400; round++) {
    const render = compile(source);
    for (let i = 0; i < 100; i++) {
      length += render({ kind: i % 2 ? 'odd' : 'even', done: i % 3 === 0, title: 'Task ' + i, count: i }).length;
    }
  }
  return length;
}

function tokens(source) {
  const list = [];
  let text = '';
  for (let i = 0; i < source.length; i++) {
    const character = source[i];
    if (character === '{' && source[i + 1] === '{') {
      const end = source.indexOf('}}', i);
      if (text) list.push({ type: 'text', value: text });
      text = '';
      list.push({ type: 'tag', value: source.slice(i + 2, end).trim() });
      i = end + 1;
    } else {
      text += character;
    }
  }
  if (text) list.push({ type: 'text', value: text });
  return list;
}

function compile(source) {
  const list = tokens(source);
  let position = 0;
  const block = () => {
    const parts = [];
    while (position < list.length) {
      const { type, value } = list[position++];
      if (type === 'text') parts.push(() => value);
      else if (value.startsWith('#if ')) parts.push(conditional(value.slice(4), block()));
      else if (value === '/if') break;
      else parts.push((data) => escape(String(data[value] ?? '')));
    }
    return (data) => parts.map((part) => part(data)).join('');
  };
  return block();
}

function conditional(name, inner) {
  return (data) => (data[name] ? inner(data) : '');
}

function escape(text) {
  let out = '';
  for (const character of text) {
    switch (character) {
      case '<':
        out += '&lt;';
        break;
      case '&':
        out += '&amp;';
        break;
      default:
        out += character;
    }
  }
  return out;
}
