// Where the states stand: layers by the distance from the first state, the shortest ways as a tree, so that few edges
// cross. A layer with many states is folded into several columns, and a long row of columns is broken into bands, as
// text into lines, so that the pictures stay large.
import dagre from '@dagrejs/dagre';

export const NODE = { width: 128, height: 72 };
const LABEL = 24;
const GAP = { layers: 70, columns: 26, neighbours: 34, bands: 60 };
const FOLDS = [Infinity, 16, 12, 9, 7, 5, 4, 3];
const MOST_BANDS = 8;
// Another arrangement must be clearly better: each fold and break makes some edges long.
const BETTER = 0.85;

/**
 * @param {{nodes: {id: number}[], edges: {from: number, to: number}[]}} data
 * @param {{width: number, height: number}} canvas its proportions decide on folds and bands
 * @returns {Map<number, {x: number, y: number}>} centre of each state
 */
export function placeStates(data, canvas) {
  const wide = canvas.width > canvas.height;
  // along: the direction in which the layers follow each other; across: the other one.
  const box = { along: wide ? NODE.width : NODE.height + LABEL, across: wide ? NODE.height + LABEL : NODE.width };
  const room = wide ? [canvas.width, canvas.height] : [canvas.height, canvas.width];
  const spots = best(layered(data, wide), box, room);
  return new Map(spots.map(({ id, along, across }) => [id, wide ? { x: along, y: across } : { x: across, y: along }]));
}

/** Layers of `{id, across}`, in order. */
function layered(data, wide) {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: wide ? 'LR' : 'TB', nodesep: GAP.neighbours, ranksep: GAP.layers });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of data.nodes) graph.setNode(String(id), { width: NODE.width, height: NODE.height + LABEL });
  const ways = shortestWays(data);
  for (const [from, to] of ways) graph.setEdge(String(from), String(to));
  dagre.layout(graph);
  const depth = new Map(data.nodes.map(({ id }) => [id, 0]));
  for (const [from, to] of ways) depth.set(to, depth.get(from) + 1);
  const layers = [];
  for (const { id } of data.nodes) {
    const { x, y } = graph.node(String(id));
    (layers[depth.get(id)] ??= []).push({ id, across: wide ? y : x });
  }
  for (const layer of layers) layer.sort((a, b) => a.across - b.across);
  return layers;
}

/** The arrangement that can be shown largest. */
function best(layers, box, [length, breadth]) {
  let chosen;
  let size = Infinity;
  for (const rows of FOLDS) {
    // Unfolded layers keep the places that suit the tree.
    const fits = layers.every((layer) => layer.length <= rows);
    const columns = layers.flatMap((layer) => (fits ? [{ opens: true, spots: layer }] : folded(layer, rows, box)));
    for (let bands = 1; bands <= Math.min(MOST_BANDS, columns.length); bands++) {
      const spots = inBands(columns, Math.ceil(columns.length / bands), box);
      const needed = Math.max(span(spots, 'along', box) / length, span(spots, 'across', box) / breadth);
      if (needed < size * BETTER) [chosen, size] = [spots, needed];
      if (size <= 1) return chosen;
    }
  }
  return chosen;
}

/** A layer as columns of at most so many rows, centred on one line. */
function folded(layer, rows, box) {
  const columns = [];
  for (let at = 0; at < layer.length; at += rows) {
    const part = layer.slice(at, at + rows);
    const highest = (Math.min(rows, layer.length) - 1) / 2;
    const spots = part.map(({ id }, row) => ({ id, across: (row - highest) * (box.across + GAP.neighbours) }));
    columns.push({ opens: at === 0, spots });
  }
  return columns;
}

function inBands(columns, each, box) {
  const placed = [];
  let top = 0;
  for (let first = 0; first < columns.length; first += each) {
    let along = 0;
    const band = columns.slice(first, first + each).flatMap(({ opens, spots }, index) => {
      if (index) along += box.along + (opens ? GAP.layers : GAP.columns);
      return spots.map((spot) => ({ ...spot, along }));
    });
    const least = Math.min(...band.map((spot) => spot.across));
    for (const spot of band) placed.push({ ...spot, across: spot.across - least + top });
    top = Math.max(...placed.map((spot) => spot.across)) + box.across + GAP.bands;
  }
  return placed;
}

function span(spots, axis, box) {
  const values = spots.map((spot) => spot[axis]);
  return Math.max(...values) - Math.min(...values) + box[axis];
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
