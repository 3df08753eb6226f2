// Building and finding elements. Text goes in as text, never as html.

/** @returns {HTMLElement} the element with this id */
export const byId = (id) => document.getElementById(id);

/** Makes an element: `make('span', 'gain', '+3')`. */
export function make(name, className, ...children) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

/** Marks one button of a group as pressed. */
export function press(buttons, chosen) {
  for (const button of buttons) button.setAttribute('aria-pressed', String(button === chosen));
}

/** The value of a custom property of the page's style. */
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
