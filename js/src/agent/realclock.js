/** The clock's interface over the browser's real time, for `clock: 'real'`: it can look, but not move. */
import { Date, Map, Promise, append, mapDelete, mapGet, mapSet, realNow, realTimers } from './natives.js';
import { isAlive } from './realm.js';
import { taskRunner } from './clock.js';

/** Makes a clock that only keeps account of the timers that the browser runs. */
export function makeRealClock() {
  const timers = new Map();
  let epochStart = realNow();
  const each = (visit) => timers.forEach((timer) => {
    if (isAlive(timer.realm)) visit(timer);
  });
  return {
    real: true,
    inTask: taskRunner(),
    get now() {
      return Date.now();
    },
    nudge() {},
    add(realm, id, delay, repeats, fn) {
      mapSet(timers, id, { realm, delay, repeats, fn, due: realNow() + delay, born: realNow() });
    },
    again(id) {
      const timer = mapGet(timers, id);
      if (timer) timer.due = realNow() + timer.delay;
    },
    remove(id) {
      mapDelete(timers, id);
    },
    hasFrames: () => false,
    startEpoch() {
      epochStart = realNow();
    },
    dueWithin(horizon) {
      let best = -1;
      each((timer) => {
        const wait = timer.due - realNow();
        if (timer.repeats || timer.born > epochStart + 500 || wait > horizon || wait < -50) return;
        if (best < 0 || wait < best) best = wait < 0 ? 0 : wait;
      });
      return best;
    },
    nextDue: () => -1,
    runTimers: (ms) => new Promise((resolve) => realTimers.setTimeout(() => resolve(0), ms)),
    async runFrames(after = () => {}) {
      await new Promise((resolve) => realTimers.requestAnimationFrame(() => resolve()));
      after();
      return 0;
    },
    waiting() {
      const list = [];
      each((timer) => append(list, { due: timer.due - realNow(), fn: timer.fn, repeats: timer.repeats }));
      return list.sort((a, b) => a.due - b.due);
    },
  };
}
