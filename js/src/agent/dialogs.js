/** Keeps a loop of dialogs from going on for ever: the driver answers the first ones, the page itself the rest. */
import { Object, apply, win } from './natives.js';
import { patch } from './disguise.js';
import { config, shared } from './realm.js';

/** name -> what it returns when it is dismissed */
const DISMISSED = { alert: undefined, confirm: false, prompt: null };

/** Wraps the three dialogs of this document. `config.dialogs` are shown between two observations. */
export function installDialogBound() {
  const most = config.dialogs || 20;
  shared.dialogs ??= 0;
  for (const name of Object.keys(DISMISSED)) {
    patch(win, name, (original) => ({
      [name](...args) {
        shared.dialogs++;
        return shared.dialogs > most ? DISMISSED[name] : apply(original, win, args);
      },
    })[name]);
  }
}

/** How many were asked for since the last call. */
export function takeDialogs() {
  const asked = shared.dialogs || 0;
  shared.dialogs = 0;
  return asked;
}
