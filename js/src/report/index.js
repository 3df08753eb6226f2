// Makes report.html interactive. The page reads well without it: everything but the graph and the source view
// stands in the html.
import { startCopy } from './copy.js';
import { startFiles } from './files.js';
import { startFilm } from './film.js';
import { startGraph } from './graph.js';
import { startGaps } from './gaps.js';
import { startPlot } from './plot.js';
import { startRoutes } from './routes.js';
import { startViewer } from './viewer.js';

const data = JSON.parse(document.getElementById('data').textContent);

startPlot();
startFilm();
startFiles();
startGaps();
startCopy();
const graph = startGraph(data.graph);
const viewer = startViewer(data.files);
startRoutes({ graph, viewer });
