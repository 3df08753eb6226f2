// Semantics of modules: strict mode, imports that run early in a cycle, top-level await, exports of all kinds.
import { other, later as early } from './cycle.mjs';
import * as self from './module.mjs';
import defaultExport from './default.mjs';

const { note, text } = globalThis.torture;
note(this === undefined, (function () { return this })() === undefined, early);
export const constant = () => 1, another = class {};
export let changing = 1 || 2;
export function declared(a = () => 1) { return a.name }
export async function* stream() { yield* [1, 2] }
export class Exported { static #count = 0; static next() { return ++Exported.#count } }
export default (0 || ((x) => (x ? 'yes' : 'no')));
export { changing as renamed, other as 'other name' };
changing = 2;
note(constant.name, another.name, declared(), Exported.next(), Exported.next(), self.renamed, self['other name'] === other, self.default(1));
note(defaultExport.name, Object.getOwnPropertyNames(self).join());
note((await Promise.resolve(0)) || 'awaited', typeof import.meta.url, (await import('./default.mjs')).default === defaultExport);
for await (const one of stream()) if (one > 1) note('one', one);
try { undeclared = 1; } catch (error) { note(error.name); }
note(text(declared), text(Exported), text(constant));
export const finished = true;
