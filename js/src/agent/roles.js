/** ARIA roles, explicit or implied by the element (HTML-AAM, shortened to what actions need). */
import { attr } from './tree.js';

const IMPLIED = {
  button: 'button', summary: 'button', select: 'combobox', textarea: 'textbox', option: 'option', details: 'group', dialog: 'dialog',
  canvas: 'canvas', video: 'video', audio: 'audio', img: 'img', nav: 'navigation', main: 'main', header: 'banner', footer: 'contentinfo',
  aside: 'complementary', form: 'form', ul: 'list', ol: 'list', li: 'listitem', table: 'table', tr: 'row', td: 'cell', th: 'columnheader',
  progress: 'progressbar', meter: 'meter', iframe: 'iframe', frame: 'iframe', embed: 'embed', object: 'embed', h1: 'heading',
  h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', label: 'label',
};

const INPUT = {
  checkbox: 'checkbox', radio: 'radio', range: 'slider', submit: 'button', button: 'button', reset: 'button', image: 'button',
  number: 'spinbutton', file: 'file', color: 'color', date: 'date', time: 'time', month: 'month', week: 'week',
  'datetime-local': 'datetime', search: 'searchbox', hidden: '',
};

/** Roles of elements without any attribute. */
const IMPLIED_BARE = { ...IMPLIED, input: 'textbox' };

/** Roles of things that a user acts on. */
export const ACTIVE = new Set([
  'button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'treeitem', 'combobox',
  'listbox', 'textbox', 'searchbox', 'slider', 'spinbutton', 'gridcell', 'scrollbar', 'file', 'color', 'date', 'time', 'month', 'week',
  'datetime', 'canvas', 'video', 'audio', 'embed',
]);

/** The role of a frame's element, "" where there is none. */
export function roleOf(frame) {
  const { element, name, attrs } = frame;
  if (attrs === null) return IMPLIED_BARE[name] || '';
  if (attrs.role) return attrs.role.trim().split(/\s+/)[0].toLowerCase();
  if (name === 'a' || name === 'area') return attr(frame, 'href') !== null || attr(frame, 'xlink:href') !== null ? 'link' : '';
  if (name === 'input') {
    const type = INPUT[element.type];
    return type === undefined ? 'textbox' : type;
  }
  if (attrs.contenteditable !== undefined && isEditingHost(element, attrs.contenteditable)) return 'textbox';
  return IMPLIED[name] || '';
}

/** True for an element that begins an editable region. */
function isEditingHost(element, given) {
  return given !== 'false' && given !== 'inherit' && !!element.isContentEditable;
}
