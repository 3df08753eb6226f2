// Where the states stand: layers by the distance from the first state, the shortest ways as a tree, so that few edges
// cross. A long chain of layers is broken into bands, as text into lines, so that the pictures stay large.
import dagre from '@dagrejs/dagre';

export const NODE = { width: 128, height: 72 };
const LABEL = 24;
const BAND_GAP = 60;
const MOST_BANDS = 8;

/**
 * @param {{nodes: {id: number}[], edges: {from: number, to: number}[]}} data
 * @param {{width: number, height: number}} canvas its proportions decide how many bands there are
 * @returns {Map<number, {x: number, y: number}>} centre of each state
 */
export function placeStates(data, canvas) {
  const wide = canvas.width > canvas.height;
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: wide ? 'LR' : 'TB', nodesep: 34, ranksep: 70 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of data.nodes) graph.setNode(String(id), { width: NODE.width, height: NODE.height + LABEL });
  for (const [from, to] of shortestWays(data)) graph.setEdge(String(from), String(to));
  dagre.layout(graph);
  // along: the direction in which the layers follow each other; across: the other one.
  const spots = data.nodes.map(({ id }) => {
    const { x, y } = graph.node(String(id));
    return wide ? { id, along: x, across: y } : { id, along: y, across: x };
  });
  const length = wide ? canvas.width : canvas.height;
  const breadth = wide ? canvas.height : canvas.width;
  const banded = best(spots, length, breadth);
  return new Map(banded.map(({ id, along, across }) => [id, wide ? { x: along, y: across } : { x: across, y: along }]));
}

/** The number of bands whose proportions fit best; one where that fits without being made smaller. */
function best(spots, length, breadth) {
  if (span(spots, 'along') <= length) return spots;
  const ratio = length / breadth;
  const layers = [...new Set(spots.map((spot) => Math.round(spot.along)))].sort((a, b) => a - b);
  let chosen = spots;
  let size = Infinity;
  for (let bands = 1; bands <= Math.min(MOST_BANDS, layers.length); bands++) {
    const made = inBands(spots, layers, Math.ceil(layers.length / bands));
    const needed = Math.max(span(made, 'along'), span(made, 'across') * ratio);
    // More bands must be clearly better: each break makes some edges long.
    if (needed < size * 0.85) [chosen, size] = [made, needed];
  }
  return chosen;
}

function inBands(spots, layers, each) {
  const groups = [];
  for (const spot of spots) {
    const layer = layers.indexOf(Math.round(spot.along));
    (groups[Math.floor(layer / each)] ??= []).push({ ...spot, along: spot.along - layers[layer - (layer % each)] });
  }
  let top = 0;
  for (const group of groups) {
    const least = Math.min(...group.map((spot) => spot.across));
    for (const spot of group) spot.across += top - least;
    top = Math.max(...group.map((spot) => spot.across)) + NODE.height + LABEL + BAND_GAP;
  }
  return groups.flat();
}

function span(spots, axis) {
  const values = spots.map((spot) => spot[axis]);
  return Math.max(...values) - Math.min(...values) + NODE.width;
}

/** One edge to each state, the way by which it is first reached when going outwards from the first. */
function shortestWays({ nodes, edges }) {
  const out = new Map(nodes.map(({ id }) => [id, []]));
  for (const { from, to } of edges) out.get(from).push(to);
  const seen = new Set();
  const ways = [];
  for (const { id: root } of nodes) {
    const queue = seen.has(root) ? [] : [root];
    seen.add(root);
    for (const from of queue) {
      for (const to of out.get(from)) {
        if (seen.has(to)) continue;
        seen.add(to);
        ways.push([from, to]);
        queue.push(to);
      }
    }
  }
  return ways;
}
