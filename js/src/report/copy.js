// The button that copies the command line.
import { byId } from './dom.js';

/** Shows the button where the browser lets a page write to the clipboard. */
export function startCopy() {
  const button = byId('copy-command');
  if (!button || !navigator.clipboard) return;
  button.hidden = false;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(byId('command').textContent);
      button.textContent = 'Copied';
    } catch {
      // Refused: select the text, so that the user's own copy key works.
      getSelection().selectAllChildren(byId('command'));
    }
  });
}
