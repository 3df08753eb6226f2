importScripts('/count.js');
hit('worker', 0);
onmessage = (event) => {
  hit('worker', event.data);
  postMessage('answered');
};
