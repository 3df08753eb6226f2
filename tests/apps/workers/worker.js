importScripts('/count.js');
hit('worker', 0);
onmessage = (event) => {
  hit('worker', event.data);
  postMessage('answered');
  console.warn('from the worker');
  Promise.reject(new Error('rejected in the worker'));
  throw new Error('thrown in the worker');
};
