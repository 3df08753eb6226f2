// The instrumenter's process: one JSON object a line in, one a line out, until stdin ends.
//
//   ping {} -> {node}
//   script {code, key, goal, branches, jsx, typescript, map, mapUrl, rules, folders, roots, ownOnly, mine, made, sources}
//     -> {code, unit, uncacheable}, or {skipped: reason}, with `library: true` where ownOnly leaves out a script
//     whose sources are all of libraries
//   html {html, key, branches, mine, policies}
//     -> {html, units, references, links, failed, base, charset, templates, policies}
//   source {code, key, branches, mine, slim} -> {code, units, names}, or {skipped: reason}: a source that is yet to be built (source.mjs)
//   istanbul {code} -> {files: coverage objects of code that is instrumented already}
//
// A unit is what one script's counters stand for: {key, line, digest, sizes: [statements, functions, arms, extra],
// shared: [slot, slot that counts for it, ...], served, files, table, problem}. `served` is the shape (shape.mjs) of
// the served code, `digest` (of a script in html) tells equal code on several pages; that of a handler attribute has one function more than counters. Without a source map `files` is
// empty and every counter stands for its own place; with one, `files` are the shapes of the sources and `table` holds
// [counter, file, probe of the file] triples. With `places: true` in the message a unit also has its `places`
// (places.mjs): where its counters would be in the text that the browser runs; `made: true` says that a transpiler in the
// page made that text; `sources: [{name, text}]` are what it may have made it of where no map tells. `transpiled` are the units of code that one reads.
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { alignedMap } from './align.mjs';
import { instrument } from './inject/index.mjs';
import { BUILT_COUNTER } from './inject/names.mjs';
import { instrumentHtml } from './html.mjs';
import { embeddedCoverage } from './istanbul.mjs';
import { Mapping, readMap } from './maps.mjs';
import { mineTree } from './mine.mjs';
import { places } from './places.mjs';
import { Lines, pack, shape, sizesOf } from './shape.mjs';
import { source } from './source.mjs';

const BUILT = new RegExp(BUILT_COUNTER);

const mine = (result) => mineTree(result.ast, result.nodes);

/**
 * Reader of sources that a map names but does not hold: `folders` are the app's root and, where it was built in a
 * project, that. A source outside of them (links followed) is not read.
 */
function reader(folders) {
  const roots = folders.map((folder) => realpathSync(folder));
  const read = (name, path) => {
    for (const place of [resolve(roots[0], name), ...roots.map((root) => join(root, path))]) {
      try {
        const found = realpathSync(place);
        if (!roots.some((root) => found.startsWith(root + sep))) continue;
        read.used = true;
        return readFileSync(found, 'utf8');
      } catch {
        // Not there: its positions are known from the map all the same.
      }
    }
    return null;
  };
  read.used = false;
  return read;
}

/** The message's source map, read, or what is wrong with it. */
function mappingOf({ code, map, mapUrl, sources = [], rules = [], roots }, read) {
  try {
    const trace = map ? readMap(map, mapUrl) : sources.length ? alignedMap(code, sources) : null;
    return trace ? { mapping: new Mapping(trace, { rules, read, roots }) } : {};
  } catch (error) {
    return { problem: String(error.message) };
  }
}

function script(message) {
  const { code, key, map } = message;
  const wanted = message.branches !== false;
  const read = message.folders?.length ? reader(message.folders) : () => null;
  const { mapping, problem } = mappingOf(message, read);
  const options = {
    goal: message.goal ?? 'auto',
    fine: Boolean(map || mapping),
    branches: wanted,
    jsx: message.jsx,
    typescript: message.typescript,
    keepAst: Boolean(message.mine || map || mapping),
    plain: message.places,
  };
  if (mapping && message.ownOnly && mapping.sources.every((source) => source.vendor))
    return { skipped: `library code: ${mapping.sources[0].vendor}`, library: true };
  const result = instrument(code, key, options);
  if (result.skipped) return { skipped: result.skipped };
  const unit = {
    key,
    line: 1,
    sizes: sizesOf(result),
    shared: pack(result.shared.flat()),
    served: shape(result, new Lines(code)),
    files: [],
    table: '',
    problem: problem ?? '',
    transpiled: Boolean(message.jsx),
  };
  if (mapping) {
    try {
      const { made } = message;
      Object.assign(unit, mapping.resolve(code, result, { instrument, mine, branches: wanted, made }));
      unit.sizes = sizesOf(result);
    } catch (error) {
      unit.problem = String(error.message);
    }
  }
  unit.served.mined = !unit.files.length && message.mine ? mine(result) : [];
  if (message.places) unit.places = places(result, code);
  // What was read from disk may be another text next time.
  return { code: result.code, unit, uncacheable: Boolean(read.used) };
}

/** A handler attribute is a function that the browser makes: one function more, without a counter, around all of the code. */
function enclose(result, name, length) {
  const around = result.functions.length;
  result.functions.push({ name, decl: [0, length], loc: [0, length], range: [0, length] });
  result.owner = result.owner.map((owner) => (owner < 0 ? around : owner));
  result.branchOwner = result.branchOwner.map((owner) => (owner < 0 ? around : owner));
}

function html(message) {
  const units = [];
  const failed = [];
  const lines = new Lines(message.html);
  const count = (code, wanted, place, line) => {
    if (BUILT.test(code)) return null; // a bundler put a source with counters into the page
    const key = `${message.key}#${units.length}`;
    const options = {
      ...wanted,
      handler: Boolean(wanted.handler) && wanted.goal !== 'url',
      goal: wanted.goal,
      fine: false,
      branches: message.branches !== false,
      keepAst: Boolean(message.mine),
      plain: message.places,
    };
    try {
      const result = instrument(code, key, options);
      if (result.skipped) {
        failed.push({ line, reason: result.skipped });
        return null;
      }
      const sizes = sizesOf(result);
      const at = lines.line(place(0));
      const where = { inline: true, at: [at, place(0) - lines.starts[at]] };
      const placed = message.places ? places(result, code, where) : null;
      if (wanted.handler) enclose(result, wanted.handler, code.length);
      const served = shape(result, lines, place);
      served.mined = message.mine ? mine(result) : [];
      if (wanted.handler) for (const row of served.mined) if (row[0] < 0) row[0] = sizes[1];
      const shared = pack(result.shared.flat());
      const digest = createHash('sha1').update(JSON.stringify([code, wanted])).digest('hex');
      const transpiled = Boolean(wanted.jsx);
      units.push({ key, line, digest, sizes, shared, served, files: [], table: '', problem: '', places: placed, transpiled });
      return result.code;
    } catch (error) {
      failed.push({ line, reason: 'cannot be parsed: ' + reasonOf(error) });
      return null;
    }
  };
  const found = instrumentHtml(message.html, count, message.policies);
  return { ...found, failed: [...found.failed, ...failed], units };
}

const operations = {
  ping: () => ({ node: process.version }),
  script,
  html,
  source,
  istanbul: ({ code }) => ({ files: embeddedCoverage(code) }),
};

function reasonOf(error) {
  if (error instanceof RangeError || /^Not enough stack/.test(error.message))
    return 'it nests deeper than the parser can follow';
  return ((error instanceof SyntaxError ? '' : error.name + ': ') + error.message).slice(0, 500);
}

function answer(line) {
  const message = JSON.parse(line);
  try {
    return { id: message.id, ok: operations[message.op](message) };
  } catch (error) {
    return { id: message.id, error: reasonOf(error) };
  }
}

// Lines are split by hand: readline also splits at U+2028 and U+2029, which JSON allows inside strings.
let chunks = [];
process.stdin.on('data', (chunk) => {
  let start = 0;
  for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
    chunks.push(chunk.subarray(start, end));
    const line = Buffer.concat(chunks).toString('utf8');
    chunks = [];
    start = end + 1;
    process.stdout.write(JSON.stringify(answer(line)) + '\n');
  }
  if (start < chunk.length) chunks.push(chunk.subarray(start));
});
