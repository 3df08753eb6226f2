/** What the page as a whole shows: broken pictures, error overlays of development servers, focus. */
import { doc, listen } from './natives.js';
import { shadowOf } from './tree.js';

const failed = new Set();

/** Notes pictures that fail to load. */
export function installLoadWatch() {
  listen('error', (event) => {
    const target = event.target;
    if (target && (target.localName === 'img' || target.localName === 'image') && target.isConnected) failed.add(target);
  }, true);
}

/** URLs of the pictures in the page that could not be shown. */
export function brokenImages() {
  const urls = new Set();
  for (const image of doc.images) {
    if (image.complete && image.naturalWidth === 0 && image.currentSrc && !/\.svg([?#]|$)/.test(image.currentSrc)) urls.add(image.currentSrc);
  }
  for (const image of failed) {
    if (!image.isConnected) failed.delete(image);
    else if (image.localName === 'img' ? image.complete && image.naturalWidth === 0 : true) urls.add(urlOf(image));
  }
  urls.delete('');
  return [...urls].slice(0, 20);
}

function urlOf(image) {
  if (image.localName === 'img') return image.currentSrc || image.src;
  return image.href ? new URL(image.href.baseVal, doc.baseURI).href : '';
}

/** Overlays that frameworks show over an app that failed. */
const OVERLAYS = [
  'vite-error-overlay', 'nextjs-portal', '#webpack-dev-server-client-overlay', '#webpack-dev-server-client-overlay-div',
  'iframe[style*="z-index: 2147483647"]',
];

/** Text of an error overlay, "" where there is none. */
export function overlayText() {
  const overlay = doc.querySelector(OVERLAYS.join(','));
  if (!overlay) return '';
  if (overlay.localName === 'nextjs-portal') return nextText(shadowOf(overlay));
  const inside = shadowOf(overlay) || (overlay.localName === 'iframe' ? frameBody(overlay) : overlay);
  const text = inside ? textIn(inside) : '';
  return overlay.localName === 'iframe' && !overlay.id && !/error|failed/i.test(text) ? '' : text;
}

/** Next.js shows its badge in the same portal: only a dialog is an error. */
function nextText(root) {
  const dialog = root && root.querySelector('[data-nextjs-dialog], [role="dialog"]');
  return dialog ? textIn(dialog) : '';
}

function frameBody(frame) {
  try {
    return frame.contentDocument && frame.contentDocument.body;
  } catch {
    return null; // cross-origin
  }
}

function textIn(root) {
  let text = '';
  for (const element of root.querySelectorAll('*')) {
    if (element.localName === 'style' || element.localName === 'script') continue;
    for (const node of element.childNodes) if (node.nodeType === 3) text += `${node.data} `;
    if (text.length > 4000) break;
  }
  return (text || root.textContent || '').replace(/\s+/g, ' ').trim().slice(0, 2000);
}

/** The focused element, through shadow roots and iframes; null for none. */
export function focused() {
  let element = doc.activeElement;
  for (let depth = 0; element && depth < 20; depth++) {
    const inner = innerFocus(element);
    if (!inner || inner.localName === 'body') break;
    element = inner;
  }
  return element;
}

function innerFocus(element) {
  const shadow = shadowOf(element);
  if (shadow) return shadow.activeElement;
  try {
    return element.contentDocument ? element.contentDocument.activeElement : null;
  } catch {
    return null; // cross-origin
  }
}
