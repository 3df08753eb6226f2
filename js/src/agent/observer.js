/** Puts one observation together. */
import { takeDialogs } from './dialogs.js';
import { doc, realNow, stringify, win, pristine } from './natives.js';
import { canvasDigest, canvasesIn } from './canvas.js';
import { locate } from './counters.js';
import { allNewHits, takeRan } from './coverage.js';
import { digest } from './digest.js';
import { takeEffects } from './effects.js';
import { elementCollector } from './elements.js';
import { outlineWriter } from './outline.js';
import { brokenImages, focused, overlayText } from './page.js';
import { pageHandlerRecords } from './pagehandlers.js';
import { liveRealms, shared } from './realm.js';
import { settle } from './settle.js';
import { walk } from './tree.js';
import { addCarried, takeMark } from './unload.js';

const MOST_TIMERS = 20;

/** ref -> element of the last observation */
let known = new Map();
let glDigest = '';

/** The element that a ref of the last observation stands for. */
export function elementOf(ref) {
  return known.get(ref) || null;
}

/** Pictures of WebGL canvases exist only in the task that drew them: taken there. */
export function afterFrame() {
  if (shared.webgl) glDigest = pristine(() => canvasDigest(canvasesIn(doc)));
}

/** Settles, then gives the observation as one JSON string; see js/README.md. */
export async function observe(options = {}) {
  liveRealms(); // follows the window to its next document
  takeMark();
  const settled = options.settle === false ? { why: 'asked not to', ms: 0, ticks: 0 } : await settle(options, afterFrame);
  return pristine(() => {
    const started = realNow();
    const result = look(options);
    result.settle = settled;
    result.ms = Math.round((realNow() - started) * 10) / 10;
    return stringify(result);
  });
}

function look(options) {
  const outline = outlineWriter();
  const elements = elementCollector();
  const canvases = [];
  walk(together(outline, elements, canvases));
  const html = outline.html();
  const sum = digest(html);
  const found = elements.result(options.limit || 300);
  known = found.refs;
  const root = doc.documentElement || { scrollWidth: 0, scrollHeight: 0 };
  return {
    url: win.location.href,
    title: doc.title || '',
    viewport: [win.innerWidth, win.innerHeight],
    scroll: [Math.round(win.scrollX), Math.round(win.scrollY)],
    document: [root.scrollWidth, root.scrollHeight],
    focus: refOf(focused()),
    html: sum === options.html ? null : html,
    digest: sum,
    canvas: shared.webgl ? glDigest || canvasDigest(canvases) : canvasDigest(canvases),
    elements: found.elements,
    found: found.found,
    hidden: found.hidden,
    page_handlers: pageHandlerRecords(),
    timers: timerRecords(),
    hits: addCarried(allNewHits()),
    ran: takeRan(),
    effects: { ...takeEffects(), dialogs: takeDialogs() },
    broken_images: brokenImages(),
    overlay: overlayText(),
    clock: Math.round(shared.clock.now),
  };
}

/** Both visitors in one walk; the outline says what is left out. */
function together(outline, elements, canvases) {
  return {
    enter(frame) {
      elements.enter(frame);
      if (frame.name === 'canvas' && frame.shown) canvases.push(frame.element);
      return outline.enter(frame);
    },
    leave: outline.leave,
    open: outline.open,
    close: outline.close,
    text: outline.text,
  };
}

function refOf(element) {
  if (!element) return '';
  for (const [ref, candidate] of known) if (candidate === element) return ref;
  return '';
}

function timerRecords() {
  return shared.clock.waiting().slice(0, MOST_TIMERS)
    .map(({ due, fn, repeats }) => [Math.max(0, Math.round(due)), locate(fn), repeats]);
}
