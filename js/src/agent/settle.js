/** Lets the page come to rest, for a bounded time. */
import { Math, doc, pristine, realNow } from './natives.js';
import { FRAME_MS, drain, realFrame, realWait } from './clock.js';
import { giveUp, pendingCount } from './effects.js';
import { liveRealms, shared } from './realm.js';

/** Chains of timers are followed this far; longer ones are a loop. */
const CHAIN = 3;
/** Animations up to this length are brought to their end. */
const LONGEST_ANIMATION_MS = 20000;
/** Ticks for a page that did not come to rest the last time. */
const RESTLESS_TICKS = 6;
/** Frames that a page gets which asks for frames without end. */
const LEAST_TICKS = 4;

/**
 * Real milliseconds that a script is given to ask for the next one, and a page of modules in its first seconds:
 * imports in flight cannot be seen.
 */
const IMPORT_MS = 80;
const FIRST_IMPORTS_MS = 250;
const FIRST_MS = 5000;
/** Frames that take longer than this, in real milliseconds, are not asked for in numbers. */
const SLOW_FRAME_MS = 200;
/** A page that loads, or is slow itself, gets so many times the bound, so that runs stay the same. */
const SLOW = 3;

let restless = false;

/**
 * Ticks until nothing changes any more.
 *
 * @param {{quiet?: number, max?: number, horizon?: number, ticks?: number}} options milliseconds of the page
 *   without a mutation that count as rest; bound in real milliseconds; how far ahead, in milliseconds of the page,
 *   timers are waited for; bound in ticks (frames).
 * @returns {Promise<{why: string, ms: number, ticks: number}>} why is quiet, ticks (never at rest) or time (the
 *   browser's work did not end).
 */
export async function settle({ quiet = 30, max = 1000, horizon = 300, ticks = 40 } = {}, onFrame) {
  const started = realNow();
  const { clock, effects } = shared;
  let most = restless ? RESTLESS_TICKS : ticks;
  const calm = Math.ceil(quiet / FRAME_MS);
  let still = 0;
  let count = 0;
  let why = '';
  clock.startEpoch();
  let waited = 0;
  while (!why) {
    if (realNow() - started > max * SLOW) {
      why = 'time';
    } else if (isWaiting()) {
      const before = realNow();
      await realWait(3);
      waited += realNow() - before;
      if (waited > (isLoading() ? max * SLOW : max)) why = 'time';
    } else if (count >= most) {
      why = 'ticks';
    } else {
      const before = effects.mutations;
      const began = realNow();
      await tick(clock, still, horizon, onFrame);
      if (realNow() - began > SLOW_FRAME_MS) most = Math.min(most, count + 2);
      count++;
      still = effects.mutations === before ? still + 1 : 0;
      const least = clock.hasFrames() ? Math.min(LEAST_TICKS, most) : 1;
      if (still >= calm && count >= least && clock.dueWithin(horizon, CHAIN) < 0) {
        if (await isCalm(clock)) why = 'quiet';
        else still = 0;
      }
    }
  }
  restless = why === 'ticks' || (why === 'time' && count >= RESTLESS_TICKS && still < calm);
  if (why === 'time') stopWaiting();
  return { why, ms: Math.round((realNow() - started) * 10) / 10, ticks: count };
}

/** One step of the page's time: timers, then frames, then whatever they left to do. */
async function tick(clock, still, horizon, onFrame) {
  const due = clock.dueWithin(horizon, CHAIN);
  const step = !clock.hasFrames() && still > 0 && due > FRAME_MS ? due : FRAME_MS;
  await clock.runTimers(step);
  await clock.runFrames(onFrame);
  await drain(clock.inTask);
}

/** What has not come until now is not waited for again: a stream, a picture that hangs. */
function stopWaiting() {
  giveUp();
  const realms = liveRealms();
  for (let i = 0; i < realms.length; i++) realms[i].gaveUp = realms[i].doc;
}

/** Work of the browser that the page waits for. */
function isWaiting() {
  return pendingCount() > 0 || isLoading();
}

function isLoading() {
  const realms = liveRealms();
  for (let i = 0; i < realms.length; i++) {
    if (realms[i].doc !== realms[i].gaveUp && realms[i].doc.readyState !== 'complete') return true;
  }
  return false;
}

/**
 * True if two shown frames bring no news: observers of sizes and intersections, animations, wheels and resizes,
 * which come with a frame, have their say.
 */
async function isCalm(clock) {
  const before = shared.effects.mutations;
  const loaded = shared.loaded;
  const finished = pristine(finishAnimations);
  await realFrame(clock.inTask);
  await realFrame(clock.inTask);
  await drain(clock.inTask);
  if (realNow() - shared.scriptCame < importPatience()) return false;
  return !finished && shared.effects.mutations === before && shared.loaded === loaded && !isWaiting();
}

function importPatience() {
  const young = realNow() < FIRST_MS && pristine(() => doc.querySelector('script[type="module"]')) !== null;
  return young ? FIRST_IMPORTS_MS : IMPORT_MS;
}

/** Brings animations and transitions that end to their end; true if there were any. */
function finishAnimations() {
  let finished = false;
  for (const realm of liveRealms()) {
    const running = realm.doc.getAnimations ? realm.doc.getAnimations() : [];
    for (const animation of running) if (finish(animation, realm.doc)) finished = true;
  }
  return finished;
}

function finish(animation, document) {
  if (animation.playState !== 'running' || animation.timeline !== document.timeline || !animation.effect) return false;
  const end = animation.effect.getComputedTiming().endTime;
  if (!(end <= LONGEST_ANIMATION_MS) || !(animation.playbackRate > 0)) return false;
  animation.finish();
  return true;
}

/** How long an advance may take in real milliseconds. */
const ADVANCE_MS = 4000;
/** Milliseconds of the page that are shown frame by frame before the clock jumps from timer to timer. */
const SMOOTH_MS = 3000;

/**
 * Moves the page's clock. Frames run at 60 a second for the first seconds, then the clock jumps from timer to
 * timer; a last frame shows the outcome.
 */
export async function advance(ms, onFrame) {
  const { clock } = shared;
  const started = realNow();
  let left = ms;
  let ran = 0;
  while (left > 0 && realNow() - started < ADVANCE_MS) {
    const smooth = clock.real || (clock.hasFrames() && ms - left < SMOOTH_MS && realNow() - started < ADVANCE_MS / 2);
    const step = smooth ? Math.min(left, FRAME_MS) : Math.min(left, Math.max(FRAME_MS, clock.nextDue() < 0 ? left : clock.nextDue()));
    ran += await clock.runTimers(step);
    ran += smooth || left - step <= 0 ? await clock.runFrames(onFrame) : 0;
    left -= step;
    if (ran % 32 === 0) await drain(clock.inTask);
  }
  await clock.runFrames(onFrame);
  await drain(clock.inTask);
  return { advanced: Math.round(ms - Math.max(0, left)), ran };
}
