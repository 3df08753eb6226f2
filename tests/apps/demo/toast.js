// A message that comes a moment later and goes by itself.
const box = document.getElementById('toast');
let timer = 0;

export function toast(text, undo) {
  clearTimeout(timer);
  timer = setTimeout(() => show(text, undo), 400);
}

function show(text, undo) {
  box.querySelector('span').textContent = text;
  const button = box.querySelector('button');
  button.hidden = !undo;
  button.onclick = () => {
    undo();
    hide();
  };
  box.hidden = false;
  timer = setTimeout(hide, 4000);
}

function hide() {
  clearTimeout(timer);
  box.hidden = true;
}
