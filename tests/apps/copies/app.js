// Code that runs from URLs made at run time: copies of this app's own functions.
const say = (text) => {
  document.getElementById('log').append(Object.assign(document.createElement('li'), { textContent: text }));
};

function ended() {
  onmessage = ({ data }) => {
    const answer = 'blob ' + data.length;
    postMessage(answer);
  };
}

function strictly() {
  const isStrict = (function () { return this === undefined; })();
  postMessage(isStrict ? 'strict' : 'sloppy');
}

const inData = () => { postMessage('data ' + (1 + 1)); };

function body() {
  const parts = ['bo', 'dy'];
  postMessage(parts.join(''));
}

function once(url, options) {
  const worker = new Worker(url, options);
  worker.onmessage = ({ data }) => {
    say(data);
    worker.terminate();
  };
  return worker;
}

const url = URL.createObjectURL(new Blob([`(${ended})()`]));
once(url).postMessage('abc');
once(url).postMessage('abcd');
URL.revokeObjectURL(url);
once(URL.createObjectURL(new Blob(['"use strict";(' + strictly.toString() + ')() // the end'])));
once('data:text/javascript,' + encodeURIComponent(`(${inData})()`));
once(URL.createObjectURL(new Blob([body.toString().replace(/^[^{]*{\s*/, '').replace(/\s*}$/, '')])));

function written() {
  say('written ' + (40 + 2));
}
const script = document.createElement('script');
script.textContent = `(${written})()`;
say(script.textContent === `(${written})()` ? 'text as it was' : script.textContent);
document.head.append(script);

function exported(number) {
  return number + 40;
}
const module = new Blob([`export default ${exported}`], { type: 'text/javascript' });
import(URL.createObjectURL(module)).then((found) => say('module ' + found.default(2)));

const shared = new SharedWorker('shared.js');
shared.port.onmessage = ({ data }) => say(data);
shared.port.postMessage(21);

document.getElementById('more').onclick = async () => {
  const kept = new Blob([String(exported)], { type: 'text/plain' });
  const asText = await (await fetch(URL.createObjectURL(kept))).text();
  document.title = asText === String(exported) ? 'as it was' : asText;
};
