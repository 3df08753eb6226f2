/** Layout shift that no gesture explains, summed over the life of the document (Layout Instability API). */
import { Math } from './natives.js';

let sum = 0;

/** Begins to listen; browsers without the API report none. */
export function installShiftWatch() {
  const { PerformanceObserver } = globalThis;
  if (!PerformanceObserver || !(PerformanceObserver.supportedEntryTypes || []).includes('layout-shift')) return;
  const observer = new PerformanceObserver((list) => {
    const entries = list.getEntries(); // an app may have broken the iterator of arrays
    for (let i = 0; i < entries.length; i++) if (!entries[i].hadRecentInput) sum += entries[i].value;
  });
  observer.observe({ type: 'layout-shift', buffered: true });
}

/** The sum so far, in thousandths. */
export function shifted() {
  return Math.round(sum * 1000) / 1000;
}
