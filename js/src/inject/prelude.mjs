// The accessor that a script's counters call, as text.

/**
 * A function declaration: hoisted, so that it is there for code of circular modules that runs early, and
 * before directives cease to be first only if it were put in front of them.
 *
 * @param {{name: string, key: string, size: number, global: string, marker: string}} script
 * @returns {string} one line
 */
export function accessor({ name, key, size, global, marker, handler }) {
  const k = JSON.stringify(key);
  const store = `(g.__cov$||Object.defineProperty(g,"__cov$",{value:{}}).__cov$)`;
  const keys = `(g.__cvKeys$||Object.defineProperty(g,"__cvKeys$",{value:{}}).__cvKeys$)[${JSON.stringify(name)}]=${k};`;
  const make = `var g=${global},s=${store},a=s[${k}];if(!a||a.length!==${size}){a=s[${k}]=new Uint32Array(${size});${keys}}`;
  if (handler) return `function ${name}(){${make}return a${marker}}`;
  return `function ${name}(){${make}${name}=function(){return a};return a${marker}}`;
}
