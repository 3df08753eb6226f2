// The filter of unreached code by verdict.

/** Lets the verdicts' tiles choose which functions are shown; a second click shows all again. */
export function startGaps() {
  const buttons = [...document.querySelectorAll('button[data-verdict]')];
  for (const button of buttons) {
    button.addEventListener('click', () => {
      const on = button.getAttribute('aria-pressed') !== 'true';
      for (const other of buttons) other.setAttribute('aria-pressed', String(on && other === button));
      choose(on ? button.dataset.verdict : '');
    });
  }
}

function choose(verdict) {
  for (const file of document.querySelectorAll('.gap-file')) {
    const rows = [...file.querySelectorAll('li[data-verdict]')];
    // Innermost first: a function stays when one inside it is wanted.
    for (const row of rows.reverse()) {
      const inner = row.querySelector('li[data-verdict]:not([hidden])');
      row.hidden = Boolean(verdict) && row.dataset.verdict !== verdict && !inner;
    }
    file.hidden = rows.every((row) => row.hidden);
  }
}
