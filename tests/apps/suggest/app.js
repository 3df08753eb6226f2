// Two fields that suggest: one among known names, one whatever was typed. Both close their list when they lose focus.
const NAMES = ['Quartz', 'Zircon', 'Opal', 'Onyx', 'Topaz', 'Jasper', 'Kunzite'];
const say = (text) => { document.getElementById('said').textContent = text; };

function suggest(field, list, found, choose) {
  list.replaceChildren(...found.map((name) => {
    const item = document.createElement('li');
    item.setAttribute('role', list.getAttribute('role') ? 'option' : '');
    item.textContent = name;
    item.addEventListener('mousedown', () => choose(name));
    return item;
  }));
  list.hidden = found.length === 0;
  field.setAttribute('aria-expanded', String(!list.hidden));
}

function listen(field, list, namesFor, choose) {
  field.addEventListener('input', () => suggest(field, list, namesFor(field.value.toLowerCase()), choose));
  field.addEventListener('blur', () => setTimeout(() => { list.hidden = true; }, 100));
}

const stone = document.getElementById('stone');
listen(stone, document.getElementById('stones'), (text) => {
  return text ? NAMES.filter((name) => name.toLowerCase().startsWith(text)) : [];
}, (name) => {
  stone.value = name;
  say(`the stone is ${name}`);
});

const tag = document.getElementById('tag');
listen(tag, document.getElementById('tags'), (text) => (text ? [`new tag ${text}`] : []), (name) => {
  tag.value = '';
  say(name);
});

document.getElementById('about').onclick = () => say('about');
document.getElementById('theme').onclick = () => document.body.classList.toggle('dark');
document.getElementById('order').onsubmit = (event) => {
  event.preventDefault();
  if (!NAMES.includes(stone.value)) return say('no such stone');
  say('ordered');
};
