// The state graph: screenshots as nodes, transitions as edges, a panel that tells of the chosen state.
import cytoscape from 'cytoscape';
import { byId, colour } from './dom.js';
import { NODE, placeStates } from './positions.js';

const CLOSE = 0.9;

/**
 * Draws the graph and wires toolbar, keys and panel.
 * @param {{nodes: object[], edges: object[]}} data
 * @returns {{show: (state: number) => void} | null} null for an empty graph
 */
export function startGraph(data) {
  if (!data.nodes.length) return null;
  byId('graph-view').hidden = false;
  byId('state-list').open = false;
  // A link to a state means the graph: the browser must not jump to the card in the list.
  for (const { id } of data.nodes) byId(`state-${id}`).id = cardId(id);
  addEventListener('beforeprint', () => (byId('state-list').open = true));
  const canvas = byId('graph-canvas');
  const places = placeStates(data, { width: canvas.clientWidth, height: canvas.clientHeight });
  const cy = cytoscape({
    container: canvas,
    elements: [...data.nodes.map((item) => node(item, places.get(item.id))), ...data.edges.map(edge)],
    layout: { name: 'preset' },
    style: style(),
    minZoom: 0.05,
    maxZoom: 3,
    boxSelectionEnabled: false,
    autoungrabify: false,
  });
  fit(cy);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => cy.style(style()));
  leaveScrollingToThePage(canvas);
  wireToolbar(cy);

  let chosen = -1;
  const choose = (number) => {
    chosen = number;
    const element = cy.$id(`s${number}`);
    cy.elements().removeClass('chosen near');
    element.addClass('chosen').connectedEdges().addClass('near');
    showPanel(number);
    return element;
  };
  const show = (number) => {
    const element = choose(number);
    if (element.empty()) return;
    cy.stop().animate({ center: { eles: element }, zoom: Math.max(cy.zoom(), CLOSE) }, { duration: 250 });
    byId('graph-view').scrollIntoView({ block: 'nearest' });
  };
  cy.on('tap', 'node', (event) => choose(event.target.data('number')));
  cy.on('tap', (event) => event.target === cy && cy.elements().removeClass('chosen near'));
  cy.on('mouseover', 'edge', (event) => event.target.addClass('near'));
  cy.on('mouseout', 'edge', (event) => event.target.removeClass('near'));
  canvas.addEventListener('keydown', (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (by) show((chosen + by + data.nodes.length) % data.nodes.length);
    else if (event.key === '+' || event.key === '=') zoom(cy, 1.3);
    else if (event.key === '-') zoom(cy, 1 / 1.3);
    else if (event.key === '0') fit(cy);
    else return;
    event.preventDefault();
  });
  chosen = 0;
  showPanel(0);
  return { show };
}

function node(item, position) {
  const label = item.label ? `${item.name}  ${item.label}` : item.name;
  return {
    data: { id: `s${item.id}`, number: item.id, label, picture: item.picture ? picture(item.id) : undefined },
    position,
    classes: [item.step === 0 ? 'start' : '', item.findings ? 'faulty' : ''].join(' '),
  };
}

function edge(item) {
  const [first, ...more] = item.actions;
  return {
    data: {
      source: `s${item.from}`,
      target: `s${item.to}`,
      label: (more.length ? `${first}  (+${more.length})` : first) + (item.gain ? `  +${item.gain}` : ''),
      width: 1.5 + Math.min(3, Math.log2(item.actions.length)),
    },
    classes: [item.discovers ? 'discovers' : '', item.findings ? 'faulty' : ''].join(' '),
  };
}

/** The data URI that the page's style holds for a state. */
function picture(number) {
  const element = byId(cardId(number)).querySelector('.shot');
  return /url\("(.*)"\)/s.exec(getComputedStyle(element).backgroundImage)?.[1];
}

function style() {
  const font = getComputedStyle(document.body).fontFamily;
  return [
    {
      selector: 'node',
      style: {
        shape: 'round-rectangle',
        'corner-radius': 8,
        width: NODE.width,
        height: NODE.height,
        'background-color': colour('--well'),
        'border-width': 2,
        'border-color': colour('--line'),
        label: 'data(label)',
        color: colour('--ink'),
        'font-family': font,
        'font-size': 12,
        'text-valign': 'bottom',
        'text-margin-y': 5,
        'text-max-width': NODE.width + 20,
        'text-wrap': 'ellipsis',
      },
    },
    {
      selector: 'node[picture]',
      style: { 'background-image': 'data(picture)', 'background-fit': 'cover', 'background-position-y': '0%' },
    },
    { selector: 'node.start', style: { 'border-color': colour('--soft'), 'border-width': 3 } },
    { selector: 'node.faulty', style: { 'border-color': colour('--miss') } },
    { selector: 'node.chosen', style: { 'border-color': colour('--accent'), 'border-width': 4 } },
    {
      selector: 'edge',
      style: {
        'curve-style': 'bezier',
        width: 'data(width)',
        'line-color': colour('--soft'),
        'target-arrow-color': colour('--soft'),
        'target-arrow-shape': 'triangle',
        'arrow-scale': 0.9,
        opacity: 0.22,
        'font-family': font,
        'font-size': 11,
        color: colour('--ink'),
        'text-background-color': colour('--card'),
        'text-background-opacity': 0.9,
        'text-background-padding': 3,
        'text-rotation': 'autorotate',
        'text-max-width': 190,
        'text-wrap': 'ellipsis',
      },
    },
    { selector: 'edge.discovers', style: { opacity: 0.75, 'line-color': colour('--accent'), 'target-arrow-color': colour('--accent') } },
    { selector: 'edge.faulty', style: { opacity: 0.9, 'line-color': colour('--miss'), 'target-arrow-color': colour('--miss') } },
    { selector: 'edge.near, edge.labelled', style: { label: 'data(label)' } },
    { selector: 'edge.near', style: { opacity: 1, 'z-index': 9 } },
  ];
}

const cardId = (number) => `card-${number}`;

function showPanel(number) {
  const card = byId(cardId(number)).cloneNode(true);
  card.removeAttribute('id');
  const ways = card.querySelector('details');
  if (ways) ways.open = true;
  byId('graph-panel').replaceChildren(card);
  byId('graph-panel').scrollTop = 0;
}

function wireToolbar(cy) {
  byId('graph-zoom-in').addEventListener('click', () => zoom(cy, 1.4));
  byId('graph-zoom-out').addEventListener('click', () => zoom(cy, 1 / 1.4));
  byId('graph-fit').addEventListener('click', () => fit(cy));
  byId('graph-labels').addEventListener('change', (event) => cy.edges().toggleClass('labelled', event.target.checked));
}

/** Shows the whole graph, but never larger than life. */
function fit(cy) {
  cy.fit(undefined, 30);
  if (cy.zoom() > 1) {
    cy.zoom(1);
    cy.center();
  }
}

function zoom(cy, factor) {
  cy.zoom({ level: cy.zoom() * factor, renderedPosition: { x: cy.width() / 2, y: cy.height() / 2 } });
}

/**
 * A wheel without Ctrl and a single finger scroll the page; they never reach the graph. A tap still does, as the click
 * that the browser makes of it.
 */
function leaveScrollingToThePage(canvas) {
  const keep = (event) => {
    const meant = event.type === 'wheel' ? event.ctrlKey || event.metaKey : event.touches.length > 1;
    if (!meant && canvas.contains(event.target)) event.stopPropagation();
  };
  for (const type of ['wheel', 'touchstart', 'touchmove', 'touchend']) {
    canvas.parentElement.addEventListener(type, keep, { capture: true, passive: true });
  }
}
