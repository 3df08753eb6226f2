// Which sources of a map are files of the user's project, and what their paths are there.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';

const OUTSIDE = 'not among the files of the project';
const ABSOLUTE = /^(?:file:\/\/|(?:https?:\/\/[^/]*)?(?:[^@]*\/)?@fs(?=\/))(\/.*)$/;
/** Folders whose files are nobody's sources. */
const APART = /^(?:\..*|node_modules|bower_components|dist|build|out|coverage|__pycache__|venv)$/;
const MOST_FILES = 30_000;

const isFile = (path) => Boolean(statSync(path, { throwIfNoEntry: false })?.isFile());
const inside = (root, path) => path.startsWith(root.endsWith(sep) ? root : root + sep);
const slashed = (path) => path.split(sep).join('/');

function decoded(path) {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The folder of the nearest package.json above a file, or ''. */
function packageAbove(file) {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder))
    if (isFile(join(folder, 'package.json'))) return folder;
  return '';
}

const listings = new Map();

/** Files of a project by their names, each as a path below it; shallow ones first. */
function listing(root) {
  if (!listings.has(root)) {
    const found = new Map();
    const folders = [root];
    for (let at = 0, count = 0; at < folders.length && count < MOST_FILES; at++) {
      let entries = [];
      try {
        entries = readdirSync(folders[at], { withFileTypes: true });
      } catch {
        // Not to be read: its files are not found by their names.
      }
      for (const entry of entries) {
        count += 1;
        const path = join(folders[at], entry.name);
        if (entry.isDirectory() && !APART.test(entry.name)) folders.push(path);
        else if (entry.isFile()) found.set(entry.name, [...(found.get(entry.name) ?? []), slashed(relative(root, path))]);
      }
    }
    listings.set(root, found);
  }
  return listings.get(root);
}

function holds(file, content) {
  try {
    return readFileSync(file, 'utf8') === content;
  } catch {
    return false;
  }
}

/** The one file of a project that a path ends, or begins below a folder of: by its text where the map holds that. */
function search(root, path, content) {
  const named = listing(root).get(basename(path)) ?? [];
  const ending = named.filter((file) => file.endsWith(`/${path}`));
  const same = content === null ? [] : (ending.length ? ending : named).filter((file) => holds(join(root, file), content));
  if (same.length) return same[0];
  return ending.length === 1 ? ending[0] : '';
}

/** The folder that paths are told from: the one that all others lie in, which is the workspace of a member. */
const homeOf = (roots) => roots.find((root) => roots.every((other) => other === root || inside(root, other))) ?? roots[0];

/**
 * Finds a source among the files of a project.
 * @param {string} name as the map has it, resolved: a file: URL, a path of Vite's /@fs/, or a path
 * @param {string} path the name for people
 * @param {string[]} roots the project's folder, then those of its workspace; empty where it is not known
 * @param {string | null} content the source's text, where the map holds it
 * @returns {{path: string, reason: string}} its path in the project, below the workspace for a member of one, or why it
 * is none of the user's
 */
export function locate(name, path, roots, content = null) {
  const home = homeOf(roots);
  const found = (file) => ({ path: slashed(relative(home, file)), reason: '' });
  const absolute = ABSOLUTE.exec(name)?.[1];
  if (absolute) {
    const file = decoded(absolute.replace(/[?#].*$/, ''));
    const root = roots.find((folder) => inside(folder, file)) ?? (roots.length ? '' : packageAbove(file));
    if (root && home && inside(home, file)) return found(file);
    return root ? { path: slashed(relative(root, file)), reason: '' } : { path, reason: roots.length ? OUTSIDE : '' };
  }
  if (!roots.length) return { path, reason: '' };
  for (const root of roots) {
    const file = join(root, path);
    if (isFile(file)) return inside(home, file) ? found(file) : { path, reason: '' };
  }
  // Served below a base that the folders do not know (/shop/src/cart.ts is src/cart.ts), or from a folder of the
  // project (/_nuxt/app.vue is app/app.vue).
  const parts = path.split('/');
  for (let at = 0; at < parts.length; at++) {
    const rest = parts.slice(at).join('/');
    const named = at && isFile(join(roots[0], rest)) ? rest : search(roots[0], rest, content);
    if (named) return found(join(roots[0], named));
  }
  return { path, reason: OUTSIDE };
}
