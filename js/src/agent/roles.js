/** ARIA roles, explicit or implied by the element (HTML-AAM, shortened to what actions need). */
import { attribute, hasAttribute } from './natives.js';

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

/** Roles of things that a user acts on. */
export const ACTIVE = new Set([
  'button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'treeitem', 'combobox',
  'listbox', 'textbox', 'searchbox', 'slider', 'spinbutton', 'gridcell', 'scrollbar', 'file', 'color', 'date', 'time', 'month', 'week',
  'datetime', 'canvas', 'video', 'audio', 'embed',
]);

/** The role of an element, "" where there is none. */
export function roleOf(element, name) {
  const explicit = attribute(element, 'role');
  if (explicit) return explicit.trim().split(/\s+/)[0].toLowerCase();
  if (name === 'a' || name === 'area') return hasAttribute(element, 'href') || element.href ? 'link' : '';
  if (name === 'input') {
    const type = INPUT[element.type];
    return type === undefined ? 'textbox' : type;
  }
  if (isEditingHost(element)) return 'textbox';
  return IMPLIED[name] || '';
}

/** True for the outermost element of an editable region. */
export function isEditingHost(element) {
  const editable = attribute(element, 'contenteditable');
  return editable !== null && editable !== 'false' && editable !== 'inherit' && !!element.isContentEditable;
}
