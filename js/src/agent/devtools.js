/** Toolbars that dev servers put into a page: they are of the tool, and the app is what is looked at. */
import { shadowOf } from './tree.js';

const TOOLS = new Set([
  'astro-dev-toolbar', 'nuxt-devtools-frame', 'nuxt-devtools-inspect-panel', 'vue-devtools', 'vite-plugin-checker-error-overlay-badge',
]);
const CONTAINERS = new Set(['__vue-devtools-container__', 'vue-inspector-container', '__react-query-devtools__', 'svelte-inspector-host']);
const DIALOG = '[data-nextjs-dialog], [role="dialog"]';

/** Whether an element is a dev server's toolbar. Next.js shows errors in the same place as its badge: those are looked at. */
export function isDevTool(element, name, attrs) {
  if (name === 'nextjs-portal') {
    const inside = shadowOf(element);
    return !(inside && inside.querySelector(DIALOG));
  }
  return TOOLS.has(name) || (attrs !== null && attrs.id !== undefined && CONTAINERS.has(attrs.id));
}
