// A door that opens to a code which the page shows and the source does not hold.
const code = String(1000 + Math.floor(Math.random() * 9000));
const byId = (id) => document.getElementById(id);
let lit = false;

byId('told').textContent = `Your access code is ${code.slice(0, 2)} ${code.slice(2)}, without the space.`;

byId('gate').addEventListener('submit', (event) => {
  event.preventDefault();
  if (byId('code').value !== code) {
    byId('said').textContent = 'That is not the code.';
    return;
  }
  open();
});

function open() {
  byId('said').textContent = 'Welcome.';
  byId('gate').hidden = true;
  byId('inside').hidden = false;
}

byId('lamp').addEventListener('click', () => {
  lit = !lit;
  show(lit ? 'The lamp is on.' : 'The lamp is off.');
});

byId('door').addEventListener('click', () => {
  if (lit) {
    show('The door leads on.');
  } else {
    show('It is too dark to find the door.');
  }
});

function show(text) {
  byId('state').textContent = text;
}
