/** Listeners of the page as a whole: of window, document, root element and body. */
import { locate } from './counters.js';
import { handlersOf } from './frameworks.js';
import { liveRealms } from './realm.js';
import { readAttributes } from './tree.js';

const IGNORED = new Set(['load', 'DOMContentLoaded', 'readystatechange', 'error', 'unhandledrejection', 'rejectionhandled', 'unload', 'pagehide', 'pageshow',
  'securitypolicyviolation', 'animationend', 'transitionend', 'animationstart', 'selectionchange']);

/** Handlers of window and document: `handlers` are [[type, fn]], `delegated` [[type, fn, selector]]. */
export function pageHandlers() {
  const handlers = [];
  const delegated = [];
  for (const { win, doc } of liveRealms()) {
    for (const target of [win, doc]) {
      for (const pair of handlersOf(target, null, delegated)) if (!IGNORED.has(pair[0])) handlers.push(pair);
    }
  }
  return { handlers, delegated };
}

/** The same with body and root element, located, each once: `[[type, [script key, slot] or null]]`. */
export function pageHandlerRecords() {
  const { handlers, delegated: waiting } = pageHandlers();
  const found = handlers.concat(waiting);
  for (const { doc } of liveRealms()) {
    for (const element of [doc.documentElement, doc.body]) {
      if (!element) continue;
      const delegated = [];
      for (const pair of handlersOf(element, readAttributes(element), delegated)) if (!IGNORED.has(pair[0])) found.push(pair);
      for (const entry of delegated) found.push(entry);
    }
  }
  const records = new Map();
  for (const [type, fn] of found) {
    const where = locate(fn);
    records.set(`${type} ${where}`, [type, where]);
  }
  return [...records.values()];
}
