/** Digests of what canvases show: coarse, so that a little noise is no new picture. */
import { Math, String, apply, doc, weakGet, weakSet, win } from './natives.js';
import { digest } from './digest.js';
import { patch } from './disguise.js';
import { shared } from './realm.js';
import { shadowOf } from './tree.js';

const SIDE = 16;
const LEVELS = 8;
const MOST = 12;
let scratch = null;

/** Notes which kind of context a canvas has. */
export function installCanvasRegister() {
  patch(win.HTMLCanvasElement && win.HTMLCanvasElement.prototype, 'getContext', (original) => ({
    getContext(type) {
      const context = apply(original, this, arguments);
      if (context && !weakGet(shared.contexts, this)) {
        weakSet(shared.contexts, this, `${type}`);
        if (type !== '2d') shared.webgl++;
      }
      return context;
    },
  }).getContext);
}

/** Grey levels of a canvas, 16 by 16; "" where it may not be read. */
function picture(canvas) {
  if (!scratch) {
    scratch = doc.createElement('canvas');
    scratch.width = SIDE;
    scratch.height = SIDE;
  }
  const pen = scratch.getContext('2d', { willReadFrequently: true });
  pen.clearRect(0, 0, SIDE, SIDE);
  try {
    pen.drawImage(canvas, 0, 0, SIDE, SIDE);
    return levels(pen.getImageData(0, 0, SIDE, SIDE).data);
  } catch {
    scratch = null; // another origin's picture is on it: from here on it may not be read
    return '';
  }
}

function levels(data) {
  let text = '';
  for (let i = 0; i < data.length; i += 4) {
    const grey = (data[i] * 3 + data[i + 1] * 6 + data[i + 2]) / 10;
    text += String.fromCharCode(65 + Math.floor((grey * data[i + 3]) / 255 / (256 / LEVELS)));
  }
  return text;
}

/** One digest of all canvases that are shown; "" without one. */
export function canvasDigest(canvases) {
  const pictures = [];
  for (const canvas of canvases.slice(0, MOST)) {
    if (canvas.width && canvas.height) pictures.push(`${canvas.width}x${canvas.height}:${picture(canvas)}`);
  }
  return pictures.length ? digest(pictures.join('|')) : '';
}

/** All canvases of the page's light DOM and shadow roots under a node. */
export function canvasesIn(root) {
  const found = [...root.querySelectorAll('canvas')];
  for (const element of root.querySelectorAll('*')) {
    const shadow = element.localName.includes('-') && shadowOf(element);
    if (shadow) found.push(...canvasesIn(shadow));
  }
  return found;
}
