// The film strip's filter.
import { press } from './dom.js';

/** Lets the buttons choose which frames are shown. */
export function startFilm() {
  const buttons = [...document.querySelectorAll('[data-film]')];
  const frames = [...document.querySelectorAll('.frame')];
  for (const button of buttons) {
    button.addEventListener('click', () => {
      const kind = button.dataset.film;
      press(buttons, button);
      for (const frame of frames) frame.hidden = kind !== 'all' && !frame.dataset.kinds.split(' ').includes(kind);
    });
  }
}
