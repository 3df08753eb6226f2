// Which sources of a map are files of the user's project, and what their paths are there.
import { statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

const OUTSIDE = 'not among the files of the project';
const ABSOLUTE = /^(?:file:\/\/|(?:https?:\/\/[^/]*)?\/?@fs(?=\/))(\/.*)$/;

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

/**
 * Finds a source among the files of a project.
 * @param {string} name as the map has it, resolved: a file: URL, a path of Vite's /@fs/, or a path
 * @param {string} path the name for people
 * @param {string[]} roots the project's folder, then those of its workspace; empty where it is not known
 * @returns {{path: string, reason: string}} its path in the project, or why it is none of the user's
 */
export function locate(name, path, roots) {
  const absolute = ABSOLUTE.exec(name)?.[1];
  if (absolute) {
    const file = decoded(absolute.replace(/[?#].*$/, ''));
    const root = roots.find((folder) => inside(folder, file)) ?? (roots.length ? '' : packageAbove(file));
    return root ? { path: slashed(relative(root, file)), reason: '' } : { path, reason: roots.length ? OUTSIDE : '' };
  }
  if (!roots.length) return { path, reason: '' };
  for (const root of roots) {
    const file = join(root, path);
    if (isFile(file)) return { path: inside(roots[0], file) ? slashed(relative(roots[0], file)) : path, reason: '' };
  }
  // Served below a base that the folders do not know: /shop/src/cart.ts is src/cart.ts.
  const parts = path.split('/');
  for (let at = 1; at < parts.length - 1; at++) {
    const rest = parts.slice(at).join('/');
    if (isFile(join(roots[0], rest))) return { path: rest, reason: '' };
  }
  return { path, reason: OUTSIDE };
}
