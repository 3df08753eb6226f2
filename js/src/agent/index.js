/** The observer in the page: installed before the app's code in every document. Contract: js/README.md. */
import { MutationObserver, doc, addListener, uncurry, win, pristine } from './natives.js';
import { config, isRoot, publish, shared } from './realm.js';
import { installTextDisguise } from './disguise.js';
import { makeClock } from './clock.js';
import { makeRealClock } from './realclock.js';
import { installCanvasRegister } from './canvas.js';
import { installEffects } from './effects.js';
import { installListenerRegister } from './listeners.js';
import { installRandom } from './random.js';
import { installStubs } from './stubs.js';
import { installVirtualDate, installVirtualTimers, installWatchedTimers } from './timers.js';
import { flush, inheritedTime, installUnload } from './unload.js';
import { installLoadWatch } from './page.js';
import { advance, settle } from './settle.js';
import { afterFrame, elementOf, observe } from './observer.js';
import { find } from './locators.js';
import { dragOnto, dropFiles, pointOf, setValue, swipe } from './gestures.js';

const WATCHED = { subtree: true, childList: true, attributes: true, characterData: true };

function install() {
  const realm = shared.realms[shared.realms.length - 1];
  const before = inheritedTime();
  shared.clock ??= config.clock === 'real' ? makeRealClock() : makeClock(Math.max(config.start_ms, before));
  const observer = new MutationObserver((records) => {
    shared.effects.mutations += records.length;
  });
  const watch = uncurry(MutationObserver.prototype.observe);
  installTextDisguise();
  installUnload(realm);
  installListenerRegister((root) => watch(observer, root, WATCHED));
  watch(observer, doc, WATCHED);
  installEffects();
  installStubs(() => flush(realm));
  installCanvasRegister();
  installLoadWatch();
  if (shared.clock.real) {
    installWatchedTimers(shared.clock, realm);
  } else {
    installVirtualTimers(shared.clock, realm);
    installVirtualDate(shared.clock, realm);
  }
  if (config.random === 'seeded') installRandom(config.seed, (config.crypto || 'seeded') === 'seeded');
  addListener(win, 'mousemove', (event) => {
    if (event.isTrusted) shared.trustedMoves++;
  }, true);
  publish(isRoot ? rootInterface() : { shared });
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
    observe,
    find: (name) => pristine(() => resolve(name)),
    point: on(pointOf),
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

// A document can be installed once only; a worker or worklet has no document at all.
if (win.document && !Object.prototype.hasOwnProperty.call(win, '__explorer$')) install();
