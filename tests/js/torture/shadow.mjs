// Names that the accessor would like to use, taken by the app.
const globalThis = { mine: true };
const Uint32Array = class Mine {};
let Object = null, self = 1;
export const result = [globalThis.mine, new Uint32Array().constructor.name, Object, self].map((one) => one || 'none').join();
