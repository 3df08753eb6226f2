/** What an input field says of itself: type, names, limits, value. */
import { attribute, hasAttribute } from './natives.js';
import { innerText, labelOf, tidy } from './names.js';

const NOT_FIELDS = new Set(['submit', 'button', 'reset', 'image', 'hidden']);
const TEXTS = ['pattern', 'min', 'max', 'step', 'accept', 'autocomplete', 'placeholder'];
const MAX_OPTIONS = 40;

/** The field record of an element, or null for what is no field. */
export function fieldOf(element, name, role, form) {
  if (name === 'input' && NOT_FIELDS.has(element.type)) return null;
  if (name === 'input' || name === 'select' || name === 'textarea') return nativeField(element, name, form);
  if (role === 'textbox' || role === 'searchbox') return editableField(element, form);
  return null;
}

function nativeField(element, name, form) {
  const field = {
    type: name === 'input' ? element.type : name,
    name: attribute(element, 'name') || '',
    id: attribute(element, 'id') || '',
    label: labelOf(element) || tidy(attribute(element, 'aria-label') || ''),
    value: valueOf(element, name),
  };
  for (const key of TEXTS) if (hasAttribute(element, key)) field[key] = attribute(element, key);
  if (element.maxLength > -1) field.maxlength = element.maxLength;
  if (element.minLength > -1) field.minlength = element.minLength;
  if (element.required) field.required = true;
  if (element.readOnly) field.readonly = true;
  if (element.multiple) field.multiple = true;
  if (element.checked) field.checked = true;
  if (element.willValidate && !element.validity.valid) field.valid = false;
  if (form) field.form = form;
  const options = optionsOf(element, name);
  if (options.length) field.options = options;
  return field;
}

function valueOf(element, name) {
  if (name !== 'select') return String(element.value).slice(0, 1000);
  const chosen = element.selectedOptions;
  const texts = [];
  for (let i = 0; i < chosen.length; i++) texts.push(chosen[i].text);
  return texts.join('\n').slice(0, 1000);
}

function optionsOf(element, name) {
  const list = name === 'select' ? element.options : element.list && element.list.options;
  const texts = [];
  for (let i = 0; list && i < list.length && texts.length < MAX_OPTIONS; i++) {
    if (!list[i].disabled) texts.push(tidy(list[i].text || list[i].value));
  }
  return texts;
}

function editableField(element, form) {
  const field = {
    type: 'contenteditable',
    name: attribute(element, 'data-name') || '',
    id: attribute(element, 'id') || '',
    label: tidy(attribute(element, 'aria-label') || ''),
    placeholder: tidy(attribute(element, 'data-placeholder') || attribute(element, 'aria-placeholder') || ''),
    value: innerText(element, 1000),
  };
  if (form) field.form = form;
  return field;
}

/** A name for the form an element belongs to, the same for all its fields and buttons; "" outside a form. */
export function formNamer() {
  const names = new Map();
  return (element) => {
    const form = element.form || null;
    if (!form) return '';
    if (!names.has(form)) {
      const given = attribute(form, 'id') || attribute(form, 'name') || attribute(form, 'aria-label');
      names.set(form, given || `form ${names.size}`);
    }
    return names.get(form);
  };
}
