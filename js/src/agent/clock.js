/**
 * A clock that stands still until it is told to move.
 *
 * Holds the timers and animation frames of all documents of the tab. Every callback runs in a task of its own,
 * so that promises settle between two timers as they do in a browser, and what a callback throws is reported by
 * the browser itself.
 */
import { Map, Math, MessageChannel, Promise, append, mapDelete, mapGet, mapSet, realNow, realTimers } from './natives.js';
import { isAlive } from './realm.js';

/** Reads of the clock without movement before it moves by itself, so that a busy wait ends. */
const READS_AT_REST = 5000;
const READ_STEP_MS = 0.1;
/** Nested timers are clamped to 4 ms from the fifth level on (HTML standard, timer initialization steps). */
const CLAMP_LEVEL = 5;
const CLAMP_MS = 4;
/** Timers in a row without time passing after which a millisecond passes, so that a chain of promises ends. */
const INSTANT_TIMERS = 200;
export const FRAME_MS = 1000 / 60;

/** Runs jobs one a task, in order: `run(work)` resolves when it was done. */
export function taskRunner() {
  const channel = new MessageChannel();
  let jobs = [];
  let next = 0;
  channel.port1.onmessage = () => {
    const job = jobs[next++];
    if (next === jobs.length) {
      jobs = [];
      next = 0;
    }
    try {
      job.work();
    } finally {
      job.done();
    }
  };
  return (work) => new Promise((done) => {
    append(jobs, { work, done });
    channel.port2.postMessage(0);
  });
}

const nothing = () => {};

/** Makes the clock of a tab; `startMs` is its wall time at rest. */
export function makeClock(startMs) {
  const inTask = taskRunner();
  const timers = new Map();
  const heap = makeHeap();
  let now = startMs;
  let reads = 0;
  let lastId = 0;
  let order = 0;
  let frames = [];
  let running = null;
  let epoch = 0;

  const clock = {
    inTask,
    /** Wall milliseconds. Reading it very often moves it. */
    read() {
      if (++reads > READS_AT_REST) now += READ_STEP_MS;
      return now;
    },
    /** Wall milliseconds, without the effect of a read. */
    get now() {
      return now;
    },
    /** Moves the clock without running anything: time that a gesture takes. */
    nudge(ms) {
      now += ms;
    },
    /** Registers a timer of `realm`; gives its id. */
    add(realm, run, delay, repeats, fn) {
      const level = running ? running.level + 1 : 0;
      let wait = delay > 0 && delay < 2147483648 ? delay : 0;
      if (level >= CLAMP_LEVEL && wait < CLAMP_MS) wait = CLAMP_MS;
      const born = running && running.epoch === epoch ? running.depth + 1 : 0;
      const timer = {
        id: ++lastId, realm, run, fn, delay: wait, repeats, level, depth: born, epoch, due: now + wait, order: ++order, live: true,
      };
      mapSet(timers, timer.id, timer);
      heap.push(timer);
      return timer.id;
    },
    remove(id) {
      const timer = mapGet(timers, id);
      if (!timer) return;
      timer.live = false;
      mapDelete(timers, id);
    },
    addFrame(realm, run, fn) {
      const id = ++lastId;
      append(frames, { id, realm, run, fn, live: true });
      return id;
    },
    removeFrame(id) {
      for (let i = 0; i < frames.length; i++) if (frames[i].id === id) frames[i].live = false;
    },
    /** True while animation frames are asked for. */
    hasFrames() {
      for (let i = 0; i < frames.length; i++) if (frames[i].live && isAlive(frames[i].realm)) return true;
      return false;
    },
    /** Starts a new settling: chains of timers are counted from here. */
    startEpoch() {
      epoch++;
    },
    /** Milliseconds until the next timer that is not a long chain, at most `horizon`; -1 for none. */
    dueWithin(horizon, depth) {
      let best = -1;
      heap.each((timer) => {
        if (!timer.live || !isAlive(timer.realm)) return;
        if (timer.epoch === epoch && timer.depth >= depth) return;
        const wait = timer.due - now;
        if (wait <= horizon && (best < 0 || wait < best)) best = wait < 0 ? 0 : wait;
      });
      return best;
    },
    /** Milliseconds until the next timer of any kind; -1 for none. */
    nextDue() {
      const timer = heap.peek();
      return timer ? Math.max(0, timer.due - now) : -1;
    },
    /** Runs all timers that fall due in the next `ms`, each in a task; gives how many ran. */
    async runTimers(ms) {
      const end = now + ms;
      let ran = 0;
      let atOnce = 0;
      for (let timer = heap.peek(); timer && timer.due <= end; timer = heap.peek()) {
        heap.pop();
        reads = 0;
        if (timer.due > now) {
          now = timer.due;
          atOnce = 0;
        } else if (++atOnce > INSTANT_TIMERS) {
          now += 1;
        }
        if (!isAlive(timer.realm)) timer.live = false;
        if (timer.live) {
          ran++;
          await inTask(() => fire(timer));
        }
      }
      if (now < end) now = end;
      reads = 0;
      running = null;
      return ran;
    },
    /** Runs the animation frames that were asked for; `after` runs in the task of the last one. */
    async runFrames(after = nothing) {
      const due = frames;
      frames = [];
      let last = due.length - 1;
      while (last >= 0 && !due[last].live) last--;
      for (let i = 0; i <= last; i++) {
        if (!due[i].live || !isAlive(due[i].realm)) continue;
        await inTask(() => {
          try {
            due[i].run();
          } finally {
            if (i === last) after();
          }
        });
      }
      return last + 1;
    },
    /** Waiting timers in the order of their due time. */
    waiting() {
      const list = [];
      heap.each((timer) => {
        if (timer.live && isAlive(timer.realm)) append(list, { due: timer.due - now, fn: timer.fn, repeats: timer.repeats, order: timer.order });
      });
      return list.sort((a, b) => a.due - b.due || a.order - b.order);
    },
  };

  function fire(timer) {
    if (!timer.live) return; // cleared by an earlier task
    if (timer.repeats) {
      timer.level++;
      timer.depth = timer.epoch === epoch ? timer.depth + 1 : 1;
      timer.epoch = epoch;
      timer.due = now + (timer.level >= CLAMP_LEVEL && timer.delay < CLAMP_MS ? CLAMP_MS : timer.delay);
      timer.order = ++order;
      heap.push(timer);
    } else {
      timer.live = false;
      mapDelete(timers, timer.id);
      if (timer.epoch !== epoch) {
        timer.epoch = epoch;
        timer.depth = 0;
      }
    }
    running = timer; // until the next timer: promises that this one settles belong to it
    timer.run();
  }
  return clock;
}

/** A binary heap of timers by due time, then by age. */
function makeHeap() {
  const items = [];
  const before = (a, b) => a.due < b.due || (a.due === b.due && a.order < b.order);
  const swap = (i, j) => {
    const held = items[i];
    items[i] = items[j];
    items[j] = held;
  };
  return {
    push(item) {
      let i = items.length;
      items[i] = item;
      for (let up = (i - 1) >> 1; i > 0 && before(items[i], items[up]); i = up, up = (i - 1) >> 1) swap(i, up);
    },
    /** The earliest live timer. */
    peek() {
      while (items.length && !items[0].live) this.pop();
      return items.length ? items[0] : null;
    },
    pop() {
      const last = items.length - 1;
      swap(0, last);
      items.length = last;
      let i = 0;
      for (;;) {
        const left = 2 * i + 1;
        if (left >= last) break;
        const child = left + 1 < last && before(items[left + 1], items[left]) ? left + 1 : left;
        if (!before(items[child], items[i])) break;
        swap(i, child);
        i = child;
      }
    },
    each(visit) {
      for (let i = 0; i < items.length; i++) visit(items[i]);
    },
  };
}

/** One real frame has been shown, or a quarter of a second has passed in a page that shows none. */
export function realFrame(inTask) {
  return new Promise((resolve) => {
    const done = () => {
      realTimers.clearTimeout(guard);
      resolve(inTask(nothing));
    };
    const guard = realTimers.setTimeout(done, 250);
    realTimers.requestAnimationFrame(done);
  });
}

/** Lets the tasks that wait now (messages, posted tasks, zero timers) run. */
export async function drain(inTask) {
  await inTask(nothing);
  await new Promise((resolve) => realTimers.setTimeout(resolve, 0));
  await inTask(nothing);
}

/** Real milliseconds. */
export function realWait(ms) {
  return new Promise((resolve) => realTimers.setTimeout(resolve, ms));
}

export { realNow };
