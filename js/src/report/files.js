// The file tables: sorting by a click on a column's head, and only the first rows of a long table at first.

const FIRST = 40;

/** Makes every table of files sortable, and shortens the long ones. */
export function startFiles() {
  for (const table of document.querySelectorAll('table.files')) {
    const shorten = shortener(table);
    const heads = [...table.querySelectorAll('thead th')];
    heads.forEach((head, column) => {
      head.firstElementChild.addEventListener('click', () => {
        const numbers = head.firstElementChild.dataset.sort === 'number';
        // Text begins at A, numbers at the largest; a second click turns it round.
        const first = numbers ? 'descending' : 'ascending';
        const other = numbers ? 'ascending' : 'descending';
        const order = head.getAttribute('aria-sort') === first ? other : first;
        heads.forEach((item) => item.removeAttribute('aria-sort'));
        head.setAttribute('aria-sort', order);
        sort(table.tBodies[0], column, numbers, order === 'ascending' ? 1 : -1);
        shorten();
      });
    });
  }
}

function sort(body, column, numbers, sign) {
  const value = (row) => row.cells[column].dataset.value;
  const rows = [...body.rows];
  rows.sort((a, b) => sign * (numbers ? value(a) - value(b) : value(a).localeCompare(value(b))));
  body.append(...rows);
}

/** Hides all but the first rows behind a button; what it returns does so again after a sort. */
function shortener(table) {
  const rows = table.tBodies[0].rows;
  if (rows.length <= FIRST * 1.5) return () => {};
  let short = true;
  const apply = () => [...rows].forEach((row, index) => (row.hidden = short && index >= FIRST));
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'more';
  button.textContent = `Show all ${rows.length} files`;
  button.addEventListener('click', () => {
    short = false;
    button.remove();
    apply();
  });
  table.parentElement.after(button);
  addEventListener('beforeprint', () => button.click());
  apply();
  return apply;
}
