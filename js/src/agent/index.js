/** The observer in the page: installed before the app's code in every document. Contract: js/README.md. */
import { MutationObserver, adoptDocument, append, doc, listen, pristine, uncurry, win } from './natives.js';
import { config, isRoot, openersTime, publish, realm, shared } from './realm.js';
import { installTextDisguise } from './disguise.js';
import { makeClock } from './clock.js';
import { makeRealClock } from './realclock.js';
import { installCanvasRegister } from './canvas.js';
import { installEffects } from './effects.js';
import { installListenerRegister } from './listeners.js';
import { installRandom } from './random.js';
import { installCopies } from './copies.js';
import { hearWorkers } from './workers.js';
import { installDialogBound } from './dialogs.js';
import { installStubs } from './stubs.js';
import { installVirtualDate, installVirtualTimers, installWatchedTimers } from './timers.js';
import { flush, inheritedTime, installUnload } from './unload.js';
import { installLoadWatch } from './page.js';
import { advance, settle } from './settle.js';
import { afterFrame, elementOf, observe } from './observer.js';
import { find } from './locators.js';
import { looks } from './looks.js';
import { reach } from './reach.js';
import { installShiftWatch } from './shift.js';
import { dragOnto, dropFiles, pointOf, setValue, swipe } from './gestures.js';

const WATCHED = { subtree: true, childList: true, attributes: true, characterData: true };

/** Follows the window to its next document. */
function renew(document) {
  adoptDocument(document);
  realm.doc = document;
  if (!shared.clock.real) realm.born = shared.clock.now;
  enlist();
  watch(observer, document, WATCHED);
}

function enlist() {
  for (let i = 0; i < shared.realms.length; i++) if (shared.realms[i] === realm) return;
  append(shared.realms, realm);
}

const watch = uncurry(MutationObserver.prototype.observe);
const observer = new MutationObserver((records) => {
  shared.effects.mutations += records.length;
});

function install() {
  enlist();
  realm.renew = renew;
  const before = inheritedTime();
  shared.clock ??= config.clock === 'real' ? makeRealClock() : makeClock(Math.max(config.start_ms, before, openersTime()));
  installTextDisguise();
  installUnload(realm);
  installListenerRegister((root) => watch(observer, root, WATCHED));
  watch(observer, doc, WATCHED);
  installEffects();
  installStubs(() => flush(realm));
  installDialogBound();
  installCopies();
  if (isRoot) hearWorkers();
  installCanvasRegister();
  installLoadWatch();
  if (isRoot) installShiftWatch();
  if (shared.clock.real) {
    installWatchedTimers(shared.clock, realm);
  } else {
    installVirtualTimers(shared.clock, realm);
    installVirtualDate(shared.clock, realm);
  }
  if (config.random === 'seeded') installRandom(config.seed, (config.crypto || 'seeded') === 'seeded');
  listen('mousemove', (event) => {
    if (event.isTrusted) shared.trustedMoves++;
  }, true);
  publish(isRoot ? rootInterface() : { shared, renew });
}

/** An element by ref of the last observation or by locator. */
function resolve(name) {
  const element = elementOf(name);
  return element && element.isConnected ? element : find(name);
}

function rootInterface() {
  const on = (work) => (name, ...rest) => pristine(() => {
    const element = resolve(name);
    return element ? work(element, ...rest) : null;
  });
  let moves = 0;
  return {
    shared,
    renew,
    observe,
    looks,
    find: (name) => pristine(() => resolve(name)),
    point: on(pointOf),
    reach: on(reach),
    set: on(setValue),
    drag: on((from, to) => {
      const target = resolve(to);
      return target ? dragOnto(from, target) : null;
    }),
    drop: on(dropFiles),
    swipe: (x, y, dx, dy) => pristine(() => swipe(x, y, dx, dy)),
    advance: (ms) => advance(ms, afterFrame),
    settle: (options) => settle(options, afterFrame),
    mouseAlive() {
      const alive = shared.trustedMoves > moves;
      moves = shared.trustedMoves;
      return alive;
    },
  };
}

// A worker or worklet has no document at all.
if (win.document) {
  if (win.__explorer$) win.__explorer$.renew(win.document);
  else install();
}
