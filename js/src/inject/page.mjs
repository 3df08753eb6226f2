// What the first counter of a page sets up: the registry of counters, and `window.__coverage__` as others read it.

import { CHANNEL, comeHome } from './homing.mjs';

/**
 * Runs in the page, where it stands as text: it names nothing of this module.
 *
 * `__coverage__` is Istanbul's object, made when it is first read: its maps come from the app's own server. Its
 * counts are live. Where the maps cannot be had (a file: page, a policy that forbids requests), each script has
 * its plain `counts` in slot order and empty maps.
 *
 * @param {object} g the global object
 */
function install(g) {
  const define = g.Object.defineProperty;
  const keysOf = g.Object.keys;
  const parse = g.JSON.parse;
  const Request = g.XMLHttpRequest;
  const all = {};
  const known = {};
  let maps = null;

  const hidden = (name, value) => {
    if (!g[name]) define(g, name, { __proto__: null, value });
  };

  const fetchMaps = () => {
    try {
      const request = new Request();
      request.open('GET', '/__explorer__/coverage-maps.json', false);
      request.send();
      return request.status === 200 ? parse(request.responseText) : {};
    } catch {
      return {};
    }
  };

  const live = (target, name, counts, slot) => {
    define(target, name, {
      enumerable: true,
      configurable: true,
      get: () => counts[slot],
      set: (value) => {
        counts[slot] = value;
      },
    });
  };

  const entryOf = (path) => {
    all[path] = all[path] || { path, statementMap: {}, fnMap: {}, branchMap: {}, s: {}, f: {}, b: {} };
    return all[path];
  };

  const add = (key, counts) => {
    const map = maps[key];
    if (!map) {
      entryOf(key).counts = counts;
      return;
    }
    const entry = entryOf(map.path);
    const real = {};
    for (const [slot, by] of map.shared || []) real[slot] = by;
    const at = (slot) => (slot in real ? real[slot] : slot);
    const table = (name, values) => {
      const first = keysOf(entry[name]).length;
      return keysOf(map[name]).map((id, i) => {
        entry[name][first + i] = map[name][id];
        return [values, first + i, map[name][id]];
      });
    };
    let slot = 0;
    for (const [values, id] of table('statementMap', entry.s)) live(values, id, counts, at(slot++));
    for (const [values, id] of table('fnMap', entry.f)) live(values, id, counts, at(slot++));
    for (const [values, id, branch] of table('branchMap', entry.b)) {
      values[id] = [];
      branch.locations.forEach((_, arm) => live(values[id], arm, counts, at(slot++)));
    }
  };

  const read = () => {
    maps = maps || fetchMaps();
    for (const key of keysOf(g.__cov$)) {
      if (known[key] === g.__cov$[key]) continue;
      known[key] = g.__cov$[key];
      add(key, known[key]);
    }
    return all;
  };

  hidden('__cov$', {});
  hidden('__cvKeys$', {});
  hidden('__cvShow$', read);
  if ('__coverage__' in g) return;
  define(g, '__coverage__', {
    __proto__: null,
    configurable: true,
    enumerable: true,
    get: read,
    set: (value) => {
      define(g, '__coverage__', { __proto__: null, configurable: true, enumerable: true, writable: true, value });
    },
  });
}

const text = (fn) => `(${String(fn).replace(/\n\s*/g, ' ')})`;

/** `install` as an expression on one line; in a worker it also lets the counts come home. */
export const INSTALL = `(function(g){${text(install)}(g);${text(comeHome)}(g,"${CHANNEL}")})`;
