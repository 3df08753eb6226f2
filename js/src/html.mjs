// Counters for the scripts inside an html file. The text is edited at offsets only; what is not a script stays byte for byte.
import { createHash } from 'node:crypto';
import * as parse5 from 'parse5';
import { isPayload } from './payloads.mjs';

const CLASSIC = new Set(
  (
    'application/ecmascript application/javascript application/x-ecmascript application/x-javascript text/ecmascript ' +
    'text/javascript text/javascript1.0 text/javascript1.1 text/javascript1.2 text/javascript1.3 text/javascript1.4 ' +
    'text/javascript1.5 text/jscript text/livescript text/x-ecmascript text/x-javascript'
  ).split(' '),
);
const TRANSPILED = new Set(['text/babel', 'text/jsx', 'text/typescript', 'text/tsx']);
const HANDLER = /^on[a-z]+$/;
const SCRIPT_URL = /^[\s\0-\x1f]*javascript:/i;
/** What links say that are not meant to lead anywhere: javascript:void(0). */
const NOTHING = /^\s*(?:void\s*\(?\s*0\s*\)?|false|undefined|\{\})?\s*;?\s*$/;
const TEMPLATE_ATTRIBUTE =
  /^(?:x-(?:data|on|init|show|text|bind|model)\b|v-(?:on|if|for|model|bind|show)\b|@[a-z]|hx-on|ng-(?:click|init|app)\b)/;

/** Kind of a script element: classic, module, transpiled (in the browser), or data for everything else. */
export function scriptKind(attributes) {
  const type = 'type' in attributes ? attributes.type : attributes.language ? 'text/' + attributes.language : '';
  const name = type.trim().toLowerCase();
  if (name === '' || CLASSIC.has(name)) return 'classic';
  if (name === 'module') return 'module';
  return TRANSPILED.has(name) ? 'transpiled' : 'data';
}

/** Elements in document order, templates' contents included; a loop, because pages nest deeper than a call stack. */
function* elements(root) {
  const stack = [root];
  while (stack.length) {
    const node = stack.pop();
    if (node.tagName) yield node;
    const children = node.content ? [...node.childNodes, node.content] : (node.childNodes ?? []);
    for (let i = children.length - 1; i >= 0; i--) stack.push(children[i]);
  }
}

const attributesOf = (node) => Object.fromEntries(node.attrs.map((attribute) => [attribute.name, attribute.value]));

/** Where an attribute's value lies in the text: [start, end, quote]. */
function valueRange(html, location) {
  const raw = html.slice(location.startOffset, location.endOffset);
  const match = /^[^=]*?=\s*/.exec(raw);
  if (!match) return null;
  const quote = raw[match[0].length];
  const start = location.startOffset + match[0].length;
  if (quote === '"' || quote === "'") return [start + 1, location.endOffset - 1, quote];
  return [start, location.endOffset, ''];
}

/** Offset in the raw text of each unit of the decoded value, or null where the two are equal. */
function decodedOffsets(raw, value) {
  if (raw === value) return null;
  const offsets = [];
  const ampersand = /&(?:amp;?|#38;|#x26;)?/iy;
  const reference = /&(?:#\d+|#x[\da-f]+|[a-z][a-z\d]*);?/iy;
  let at = 0;
  while (offsets.length < value.length && at < raw.length) {
    const pattern = value[offsets.length] === '&' ? ampersand : reference;
    offsets.push(at);
    pattern.lastIndex = at;
    if (raw[at] === '&') at += pattern.exec(raw)?.[0].length ?? 1;
    else at += raw.startsWith('\r\n', at) ? 2 : 1;
  }
  while (offsets.length <= value.length) offsets.push(raw.length);
  return offsets;
}

const escapeValue = (text, quote) => {
  const escaped = text.replace(/&/g, '&amp;');
  return quote === "'" ? escaped.replace(/'/g, '&#39;') : escaped.replace(/"/g, '&quot;');
};

const digest = (algorithm, text) => `${algorithm}-${createHash(algorithm).update(text, 'utf8').digest('base64')}`;

/** Edits applied from the first to the last. */
function applyEdits(text, edits) {
  edits.sort((a, b) => a[0] - b[0]);
  const parts = [];
  let last = 0;
  for (const [start, end, replacement] of edits) {
    parts.push(text.slice(last, start), replacement);
    last = end;
  }
  parts.push(text.slice(last));
  return parts.join('');
}

/**
 * One html text under instrumentation. `count(code, options, place)` instruments a script, records its counters
 * and returns its new code, or null where it is served as it is; `place` turns an offset of the code into one of
 * the file.
 */
class Document {
  constructor(html, found, count, place) {
    Object.assign(this, { html, found, count, place, edits: [], hashes: [], policies: [] });
  }

  run() {
    const root = parse5.parse(this.html, { sourceCodeLocationInfo: true, scriptingEnabled: true });
    for (const node of elements(root)) this.element(node);
    for (const policy of this.policies) this.policy(policy);
    return applyEdits(this.html, this.edits);
  }

  element(node) {
    const attributes = attributesOf(node);
    const location = node.sourceCodeLocation;
    if (node.tagName === 'base' && attributes.href !== undefined) this.found.base ??= attributes.href;
    if (node.tagName === 'meta') this.meta(attributes, location);
    if (node.tagName === 'script') this.script(node, attributes, location);
    if (node.tagName === 'link') this.link(attributes);
    if (!location?.attrs) return;
    for (const { name, value } of node.attrs) this.attribute(node, name, value, location.attrs[name]);
  }

  meta(attributes, location) {
    if (attributes.charset) this.found.charset ??= attributes.charset;
    const policy = (attributes['http-equiv'] ?? '').trim().toLowerCase() === 'content-security-policy';
    if (policy && location?.attrs?.content) this.policies.push(location.attrs.content);
  }

  link(attributes) {
    if (/\bmodulepreload\b/i.test(attributes.rel ?? '') && attributes.href) {
      this.found.references.push({ src: attributes.href, kind: 'module', nomodule: false });
    }
  }

  script(node, attributes, location) {
    const kind = scriptKind(attributes);
    if (kind === 'data') return;
    const nomodule = kind === 'classic' && 'nomodule' in attributes;
    const source = attributes.src ?? attributes.href ?? attributes['xlink:href'];
    if (source !== undefined) {
      if (/^\s*data:/i.test(source)) this.dataScript(node, source, kind, location);
      else
        this.found.references.push({
          src: source,
          kind,
          nomodule,
          typescript: typescriptOf(attributes),
          charset: attributes.charset ?? '',
        });
      return;
    }
    const text = (node.childNodes ?? []).map((child) => child.value ?? '').join('');
    if (!text.trim() || !location?.startTag || isPayload(text)) return;
    this.inline(node, text, kind, location, attributes);
  }

  inline(node, text, kind, location, attributes) {
    const line = location.startLine;
    if (!location.endTag) {
      this.found.failed.push({ line, reason: 'the script element is not closed, so browsers do not run it' });
      return;
    }
    const start = location.startTag.endOffset;
    const end = location.endTag.startOffset;
    const code = this.html.slice(start, end);
    if (node.namespaceURI.endsWith('/svg') && code !== text) {
      this.found.failed.push({ line, reason: 'a script inside SVG that holds character references' });
      return;
    }
    const options =
      kind === 'transpiled'
        ? { goal: 'auto', jsx: true, typescript: typescriptOf(attributes) }
        : { goal: kind === 'module' ? 'module' : 'script' };
    const counted = this.count(code, options, (offset) => this.place(start + offset), line);
    if (counted === null) return;
    this.edits.push([start, end, counted]);
    this.hashes.push([text, counted.replace(/\r\n?/g, '\n')]);
  }

  dataScript(node, source, kind, location) {
    const match = /^\s*data:([^,]*),(.*)$/is.exec(source);
    const range = location?.attrs?.src && valueRange(this.html, location.attrs.src);
    if (!match || !range) return;
    const base64 = /;\s*base64\s*$/i.test(match[1]);
    let code;
    try {
      code = base64
        ? Buffer.from(decodeURIComponent(match[2]), 'base64').toString('utf8')
        : decodeURIComponent(match[2]);
    } catch {
      this.found.failed.push({ line: location.startLine, reason: 'a data: script that cannot be decoded' });
      return;
    }
    const at = this.place(range[0]);
    const counted = this.count(code, { goal: kind === 'module' ? 'module' : 'script' }, () => at, location.startLine);
    if (counted !== null)
      this.edits.push([
        range[0],
        range[1],
        `data:${match[1].replace(/;\s*base64\s*$/i, '')},${encodeURIComponent(counted)}`,
      ]);
  }

  attribute(node, name, value, location) {
    if (!location || !value.trim()) return;
    if (HANDLER.test(name)) this.code(value, location, { goal: 'script', handler: name });
    else if (SCRIPT_URL.test(value) && ['href', 'xlink:href', 'action', 'formaction', 'src'].includes(name))
      this.scriptUrl(value, location);
    else if (name === 'srcdoc' && node.tagName === 'iframe') this.srcdoc(value, location);
    else if (TEMPLATE_ATTRIBUTE.test(name)) this.found.templates ??= name;
    else if (
      (name === 'href' && node.tagName !== 'link' && node.tagName !== 'base') ||
      (name === 'src' && node.tagName === 'iframe')
    )
      this.found.links.push(value);
  }

  /** Code in an attribute: decoded, counted, encoded again. */
  code(value, location, options) {
    const range = valueRange(this.html, location);
    if (!range) return;
    const counted = this.count(value, options, this.placeIn(range, value, 0), location.startLine);
    if (counted === null) return;
    this.hashes.push([value, counted]);
    this.replaceValue(range, counted);
  }

  scriptUrl(value, location) {
    const prefix = SCRIPT_URL.exec(value)[0];
    const code = value.slice(prefix.length);
    if (NOTHING.test(code)) return;
    // Percent signs would be decoded by the browser first, and a fragment may be cut off.
    if (/[%#]/.test(code)) {
      this.found.failed.push({
        line: location.startLine,
        reason: 'a javascript: address with escapes is not measured',
      });
      return;
    }
    const range = valueRange(this.html, location);
    if (!range) return;
    const counted = this.count(
      code,
      { goal: 'url', handler: 'javascript:' },
      this.placeIn(range, value, prefix.length),
      location.startLine,
    );
    if (counted !== null) this.replaceValue(range, prefix + counted);
  }

  srcdoc(value, location) {
    const range = valueRange(this.html, location);
    if (!range) return;
    const inner = new Document(value, { ...this.found, base: undefined }, this.count, this.placeIn(range, value, 0));
    const html = inner.run();
    if (inner.edits.length) this.replaceValue(range, html);
  }

  placeIn(range, value, skip) {
    const offsets = decodedOffsets(this.html.slice(range[0], range[1]), value);
    return (offset) =>
      this.place(range[0] + (offsets ? (offsets[offset + skip] ?? range[1] - range[0]) : offset + skip));
  }

  replaceValue(range, text) {
    const quote = range[2] || '"';
    const escaped = escapeValue(text, quote);
    this.edits.push([range[0], range[1], range[2] ? escaped : quote + escaped + quote]);
  }

  policy(location) {
    const raw = this.html.slice(location.startOffset, location.endOffset);
    const policy = withHashes(raw, this.hashes);
    if (policy !== raw) this.edits.push([location.startOffset, location.endOffset, policy]);
  }
}

/** A policy in which beside the hash of each script that it lists stands the hash of the counted script. */
function withHashes(raw, hashes) {
  if (!/sha(?:256|384|512)-/i.test(raw)) return raw;
  let policy = raw;
  for (const [before, after] of hashes) {
    for (const algorithm of ['sha256', 'sha384', 'sha512']) {
      const listed = digest(algorithm, before);
      const at = policy.indexOf(listed);
      if (at < 0) continue;
      const quote = /(?:'|&#39;|&#x27;|&apos;)$/i.exec(policy.slice(0, at))?.[0] ?? "'";
      policy =
        policy.slice(0, at) +
        listed +
        `${quote} ${quote}${digest(algorithm, after)}` +
        policy.slice(at + listed.length);
    }
  }
  return policy;
}

const typescriptOf = (attributes) =>
  /typescript|tsx/i.test(attributes.type ?? '') ||
  /typescript/i.test(attributes['data-presets'] ?? '') ||
  /\.tsx?(?:[?#]|$)/i.test(attributes.src ?? '');

/**
 * Counts the scripts of an html text; `policies` are the Content-Security-Policy headers that come with it.
 * Returns its new text, the policies for that, and what it names: references (external scripts), links, failed
 * scripts with their lines, base (the first base href) and charset.
 */
export function instrumentHtml(html, count, policies = []) {
  const found = { references: [], links: [], failed: [], base: undefined, charset: undefined, templates: undefined };
  const page = new Document(html, found, count, (offset) => offset);
  const text = page.run();
  return { html: text, ...found, policies: policies.map((policy) => withHashes(policy, page.hashes)) };
}
