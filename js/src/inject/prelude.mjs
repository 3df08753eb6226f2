// The accessor that a script's counters call, as text on one line.
import { quoted } from './names.mjs';
import { INSTALL } from './page.mjs';

/**
 * A function declaration, hoisted so that it is there for code that runs early in circular modules. It ends with
 * the marker, so that strip.mjs finds it. Whatever a page does to its globals, it never throws: where the registry
 * cannot be written the script still runs, with counts that nobody reads.
 *
 * @param {object} script
 * @param {string} script.name
 * @param {string} script.key
 * @param {number} script.size counters
 * @param {string} script.global a name of the global object that the script does not declare itself
 * @param {string} script.marker
 * @returns {string}
 */
export function accessor({ name, key, size, global, marker }) {
  const k = quoted(key);
  return (
    `function ${name}(){var g=${global},a;` +
    `try{g.__cvShow$||${INSTALL}(g);g.__cvKeys$["${name}"]=${k};a=g.__cov$[${k}];` +
    `if(!a||a.length!==${size})a=g.__cov$[${k}]=new g.Uint32Array(${size})}` +
    `catch(e){a=a||new g.Uint32Array(${size})}` +
    `${name}=function(){return a};return a${marker}}`
  );
}

/** The same for a handler attribute, whose code is often shorter than this: only the registry, made anew on each run. */
export function handlerAccessor({ name, key, size, global, marker }) {
  const k = quoted(key);
  const registry = (property) => `(g.${property}||g.Object.defineProperty(g,"${property}",{value:{}}).${property})`;
  return (
    `function ${name}(){var g=${global},s=${registry('__cov$')};${registry('__cvKeys$')}["${name}"]=${k};` +
    `return s[${k}]||(s[${k}]=new g.Uint32Array(${size}))${marker}}`
  );
}

/**
 * The accessor of a source that is yet to be bundled, on one line: it gives an object whose only property, called like
 * the accessor, is the array. A bundler renames functions but no properties, so a function's text still names its
 * source. It stands at the end, as a function declaration: directives and imports stay first. A slim one only makes
 * the registry: of hundreds of sources a few are enough to set up the rest.
 */
export function sourceAccessor({ name, key, size, global, slim }) {
  const k = quoted(key);
  const registry = (property) => `g.${property}||g.Object.defineProperty(g,"${property}",{value:{}})`;
  const install = slim ? `${registry('__cov$')};${registry('__cvKeys$')}` : `g.__cvShow$||${INSTALL}(g)`;
  return (
    `function ${name}(){var g=${global},a,h;` +
    `try{${install};g.__cvKeys$["${name}"]=${k};a=g.__cov$[${k}];` +
    `if(!a||a.length!==${size})a=g.__cov$[${k}]=new g.Uint32Array(${size})}` +
    `catch(e){a=a||new g.Uint32Array(${size})}` +
    `h={${name}:a};${name}=function(){return h};return h}`
  );
}
