// Sorting of the file tables by a click on a column's head.

/** Makes every table of files sortable. */
export function startFiles() {
  for (const table of document.querySelectorAll('table.files')) {
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
