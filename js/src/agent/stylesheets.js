/**
 * Reads from the stylesheets which elements show a hand, can be grabbed, scroll, or reveal something when hovered: a few selectors
 * to query, instead of the computed style of every element.
 */

const REVEALS = /display|visibility|opacity|height|width|transform|clip|left|top|right|bottom|pointer-events/;
const MAX_SELECTORS = 400;

const cache = new WeakMap();

/** Cursors that say: press here and move. */
const GRABS = /^(-webkit-)?(move|grab|all-scroll|(col|row|[nesw]+)-resize)$/;

/** `{pointer, grab, scroll, hover}`: selectors of one sheet; read again only when its number of rules changes. */
function selectorsOf(sheet) {
  const rules = rulesOf(sheet);
  if (!rules) return null;
  const known = cache.get(sheet);
  if (known && known.size === rules.length) return known;
  const found = { size: rules.length, pointer: [], grab: [], grabHovered: [], scroll: [], hover: [] };
  readRules(rules, found);
  cache.set(sheet, found);
  return found;
}

function rulesOf(sheet) {
  try {
    return sheet.cssRules;
  } catch {
    return null; // another origin's sheet
  }
}

function readRules(top, found) {
  const stack = [top];
  while (stack.length) {
    const rules = stack.pop();
    for (let i = 0; i < rules.length; i++) {
      const rule = rules[i];
      if (rule.selectorText !== undefined && rule.style) readRule(rule, found);
      if (rule.cssRules && rule.cssRules.length) stack.push(rule.cssRules);
      const imported = rule.styleSheet && rulesOf(rule.styleSheet);
      if (imported) stack.push(imported);
    }
  }
}

function readRule(rule, found) {
  const { style, selectorText } = rule;
  if (style.cursor === 'pointer') add(found.pointer, plain(selectorText));
  if (GRABS.test(style.cursor)) add(/:hover\s*(,|$)/.test(selectorText) ? found.grabHovered : found.grab, plain(selectorText));
  if (/auto|scroll/.test(style.overflowX + style.overflowY)) add(found.scroll, selectorText);
  if (selectorText.includes(':hover')) readHover(rule, found);
}

/** A selector that the element matches at rest too. */
function plain(selector) {
  return selector.replace(/:{1,2}(hover|focus|active|before|after)\b/g, '');
}

/** `X:hover Y {shows}`: hovering X reveals Y. */
function readHover(rule, found) {
  for (const part of rule.selectorText.split(/,(?![^(]*\))/)) {
    const match = /^(.*?):hover\b\S*\s*[\s>~+]\s*\S/.exec(part);
    if (!match || !match[1].trim()) continue;
    for (let i = 0; i < rule.style.length; i++) {
      if (REVEALS.test(rule.style[i])) {
        add(found.hover, match[1].trim());
        break;
      }
    }
  }
}

function add(list, selector) {
  if (list.length < MAX_SELECTORS && selector.trim()) list.push(selector);
}

/** Elements of a document or shadow root by what the stylesheets say: a set for each. */
export function styledElements(root) {
  const found = { pointer: new Set(), grab: new Set(), grabHovered: new Set(), scroll: new Set(), hover: new Set() };
  const sheets = [...(root.styleSheets || []), ...(root.adoptedStyleSheets || [])];
  for (const sheet of sheets) {
    const selectors = !sheet.disabled && selectorsOf(sheet);
    if (!selectors) continue;
    collect(root, selectors.pointer, found.pointer);
    collect(root, selectors.grab, found.grab);
    collect(root, selectors.grabHovered, found.grabHovered);
    collect(root, selectors.scroll, found.scroll);
    collect(root, selectors.hover, found.hover);
  }
  collect(root, ['[style*="cursor"]'], found.pointer);
  collect(root, ['[style*="cursor"]'], found.grab);
  collect(root, ['[style*="overflow"]'], found.scroll);
  return found;
}

function collect(root, selectors, into) {
  if (!selectors.length) return;
  let matched;
  try {
    matched = root.querySelectorAll(selectors.join(','));
  } catch {
    for (const selector of selectors.length > 1 ? selectors : []) collect(root, [selector], into); // drop only the odd one
    return;
  }
  for (let i = 0; i < matched.length; i++) into.add(matched[i]);
}

/** True where the element itself, not only its parent, shows the hand. */
export function showsHand(element) {
  if (getComputedStyle(element).cursor !== 'pointer') return false;
  const parent = element.parentElement;
  return !parent || getComputedStyle(parent).cursor !== 'pointer';
}

/** True where the element itself, not only its parent, shows that it can be grabbed. */
export function canBeGrabbed(element) {
  const { cursor } = getComputedStyle(element);
  if (!GRABS.test(cursor)) return false;
  const parent = element.parentElement;
  return !parent || getComputedStyle(parent).cursor !== cursor;
}

/** True for a box with more inside than it shows. */
export function scrolls(element) {
  if (element.scrollHeight <= element.clientHeight + 8 && element.scrollWidth <= element.clientWidth + 8) return false;
  const { overflowX, overflowY } = getComputedStyle(element);
  return /auto|scroll/.test(overflowX + overflowY);
}

