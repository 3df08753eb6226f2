// Links within the page: #state-3 shows a state in the graph, #source-2:41 opens a file, others open what hides them.
import { byId } from './dom.js';

/** Follows the hash now and whenever it changes. */
export function startRoutes({ graph, viewer }) {
  const follow = () => {
    const hash = location.hash.slice(1);
    const source = /^source-(\d+)(?::(\d+))?(?::(\d+))?$/.exec(hash);
    if (source) return viewer.open(...source.slice(1).map((part) => Number(part ?? 0)));
    viewer.close();
    const state = /^state-(\d+)$/.exec(hash);
    if (state && graph) return graph.show(Number(state[1]));
    reveal(byId(hash));
  };
  addEventListener('hashchange', follow);
  // A link to where one already is changes no hash, but is still meant.
  document.addEventListener('click', (event) => {
    const link = event.target.closest?.('a[href^="#"]');
    if (link && link.getAttribute('href') === location.hash) {
      event.preventDefault();
      follow();
    }
  });
  if (location.hash) {
    // The address says where to be; the browser's memory of where one was must not undo it after a reload.
    history.scrollRestoration = 'manual';
    follow();
  }
  markSection();
}

function reveal(element) {
  if (!element) return;
  for (let node = element; node; node = node.parentElement) {
    if (node.tagName === 'DETAILS') node.open = true;
  }
  element.hidden = false;
  element.scrollIntoView({ block: element.matches('section, header') ? 'start' : 'center', inline: 'center' });
  if (element.hasAttribute('tabindex')) element.focus({ preventScroll: true });
}

/** Marks in the navigation which section is being read, and keeps its link in view where the bar is too narrow. */
function markSection() {
  const bar = document.querySelector('nav');
  const links = [...document.querySelectorAll('nav a')];
  const sections = links.map((link) => byId(link.hash.slice(1)));
  const observer = new IntersectionObserver(
    () => {
      const passed = sections.filter((section) => section.getBoundingClientRect().top < innerHeight * 0.35);
      const current = links[Math.max(0, passed.length - 1)];
      for (const link of links) {
        if (link === current) link.setAttribute('aria-current', 'true');
        else link.removeAttribute('aria-current');
      }
      bar.scrollLeft = current.offsetLeft - (bar.clientWidth - current.offsetWidth) / 2;
    },
    { rootMargin: '-35% 0px -65% 0px' },
  );
  sections.forEach((section) => observer.observe(section));
}
