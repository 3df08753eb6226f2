/** Puts the tab's clock behind everything in this document that tells or waits for time. */
import {
  AbortController, Date, DOMException, Event, Math, Number, Promise, WeakMap, listen, apply, construct,
  defineProperty, descriptorOf, weakGet, weakHas, weakSet, win,
} from './natives.js';
import { disguise, patch, patchAccessor } from './disguise.js';

const callText = win.eval;

/** What a timer runs: a function with its arguments, or a text. */
function runner(handler, args) {
  if (typeof handler === 'function') return () => apply(handler, win, args);
  const text = `${handler}`;
  return () => callText(text);
}

/** Replaces timers, frames and idle callbacks by those of `clock`. */
export function installVirtualTimers(clock, realm) {
  const timer = (repeats) => (original) => ({
    [original.name](handler, delay, ...args) {
      return clock.add(realm, runner(handler, args), Number(delay), repeats, typeof handler === 'function' ? handler : null);
    },
  })[original.name];
  const clear = (original) => ({ [original.name](id) { clock.remove(Number(id)); } })[original.name];
  patch(win, 'setTimeout', timer(false));
  patch(win, 'setInterval', timer(true));
  patch(win, 'clearTimeout', clear);
  patch(win, 'clearInterval', clear);
  patch(win, 'requestAnimationFrame', () => ({
    requestAnimationFrame(callback) {
      if (typeof callback !== 'function') throw new TypeError('parameter 1 is not of type \'Function\'.');
      return clock.addFrame(realm, () => callback(pageNow(clock, realm)), callback);
    },
  }).requestAnimationFrame);
  patch(win, 'cancelAnimationFrame', () => ({
    cancelAnimationFrame(id) { clock.removeFrame(Number(id)); },
  }).cancelAnimationFrame);
  patch(win, 'requestIdleCallback', () => ({
    requestIdleCallback(callback) {
      return clock.add(realm, () => callback(idleDeadline()), 1, false, callback);
    },
  }).requestIdleCallback);
  patch(win, 'cancelIdleCallback', clear);
  installAbortTimeout();
  installPostTask(clock, realm);
}

/** An idle period that shrinks with every look at it, so that `while (timeRemaining() > 0)` ends. */
function idleDeadline() {
  let left = 50;
  return { didTimeout: false, timeRemaining: () => (left = Math.max(0, left - 0.1)) };
}

function installAbortTimeout() {
  patch(win.AbortSignal, 'timeout', () => ({
    timeout(ms) {
      const controller = new AbortController();
      win.setTimeout(() => controller.abort(new DOMException('signal timed out', 'TimeoutError')), ms);
      return controller.signal;
    },
  }).timeout);
}

function installPostTask(clock, realm) {
  patch(win.Scheduler && win.Scheduler.prototype, 'postTask', (original) => ({
    postTask(callback, options) {
      const delay = options && Number(options.delay);
      if (!(delay > 0)) return apply(original, this, [callback, options]);
      return new Promise((resolve) => {
        const start = () => resolve(apply(original, this, [callback, { ...options, delay: 0 }]));
        clock.add(realm, start, delay, false, callback);
      });
    },
  }).postTask);
}

/** performance.now() of a document under the clock. */
function pageNow(clock, realm) {
  return clock.read() - realm.born;
}

/** Replaces Date, performance.now and the other readers of time by those of `clock`. */
export function installVirtualDate(clock, realm) {
  realm.born = clock.now;
  patch(win.Performance.prototype, 'now', () => ({ now() { return pageNow(clock, realm); } }).now);
  patchAccessor(win.Performance.prototype, 'timeOrigin', () => ({ get() { return realm.born; } }));
  replaceDate(clock);
  stampEvents(clock, realm);
  replaceFormat(clock);
  replaceTemporal(clock);
}

function replaceDate(clock) {
  const Page = disguise(function () {
    if (!new.target) return `${new Date(clock.read())}`;
    const args = arguments.length ? arguments : [Math.floor(clock.read())];
    return construct(Date, args, new.target);
  }, Date);
  for (const name of ['UTC', 'parse']) defineProperty(Page, name, descriptorOf(Date, name));
  defineProperty(Page, 'now', {
    ...descriptorOf(Date, 'now'), value: disguise({ now() { return Math.floor(clock.read()); } }.now, Date.now),
  });
  defineProperty(Page, 'prototype', { value: Date.prototype, writable: false, enumerable: false, configurable: false });
  defineProperty(Date.prototype, 'constructor', { value: Page, writable: true, enumerable: false, configurable: true });
  defineProperty(win, 'Date', { ...descriptorOf(win, 'Date'), value: Page });
}

/** Events carry the clock's time; a gesture's event lets a little of it pass, as hands do. */
function stampEvents(clock, realm) {
  const stamps = new WeakMap();
  const stamp = (event) => {
    if (!weakHas(stamps, event)) weakSet(stamps, event, clock.now - realm.born);
    return weakGet(stamps, event);
  };
  patchAccessor(Event.prototype, 'timeStamp', () => ({ get() { return stamp(this); } }));
  const gesture = (event) => {
    if (!event.isTrusted) return;
    stamp(event);
    clock.nudge(GESTURE_MS[event.type] || 1);
  };
  for (const type of ['pointerdown', 'pointerup', 'pointermove', 'keydown', 'keyup', 'beforeinput', 'wheel', 'touchstart', 'touchmove']) {
    listen(type, gesture, { capture: true, passive: true });
  }
}

const GESTURE_MS = { pointerdown: 4, pointerup: 30, pointermove: 8, keydown: 4, keyup: 30 };

function replaceFormat(clock) {
  const Format = win.Intl && win.Intl.DateTimeFormat;
  if (!Format) return;
  patch(Format.prototype, 'formatToParts', (original) => ({
    formatToParts(date) { return apply(original, this, [date === undefined ? clock.read() : date]); },
  }).formatToParts);
  const wrapped = new WeakMap();
  patchAccessor(Format.prototype, 'format', (get) => ({
    get() {
      const format = apply(get, this, []);
      if (!weakHas(wrapped, format)) {
        weakSet(wrapped, format, disguise((date) => format(date === undefined ? clock.read() : date), format));
      }
      return weakGet(wrapped, format);
    },
  }));
}

function replaceTemporal(clock) {
  const Temporal = win.Temporal;
  if (!Temporal || !Temporal.Now) return;
  const { Instant } = Temporal;
  const zone = Temporal.Now.timeZoneId;
  const instant = () => Instant.fromEpochMilliseconds(Math.floor(clock.read()));
  const zoned = (id) => instant().toZonedDateTimeISO(id === undefined ? zone() : id);
  const parts = {
    instant, zonedDateTimeISO: zoned,
    plainDateTimeISO: (id) => zoned(id).toPlainDateTime(),
    plainDateISO: (id) => zoned(id).toPlainDate(),
    plainTimeISO: (id) => zoned(id).toPlainTime(),
  };
  for (const name in parts) patch(Temporal.Now, name, () => ({ [name](id) { return parts[name](id); } })[name]);
}

/** Leaves the browser's own timers in place and keeps a list of what waits; for `clock: 'real'`. */
export function installWatchedTimers(clock, realm) {
  const watched = (repeats) => (original) => ({
    [original.name](handler, delay, ...args) {
      const run = runner(handler, args);
      let id = 0;
      const fire = () => {
        if (repeats) clock.again(id);
        else clock.remove(id);
        run();
      };
      id = apply(original, win, [fire, delay]);
      clock.add(realm, id, Number(delay) || 0, repeats, typeof handler === 'function' ? handler : null);
      return id;
    },
  })[original.name];
  const clear = (original) => ({
    [original.name](id) {
      clock.remove(Number(id));
      apply(original, win, [id]);
    },
  })[original.name];
  patch(win, 'setTimeout', watched(false));
  patch(win, 'setInterval', watched(true));
  patch(win, 'clearTimeout', clear);
  patch(win, 'clearInterval', clear);
}

