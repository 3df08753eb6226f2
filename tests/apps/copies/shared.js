'use strict';
onconnect = ({ ports }) => {
  ports[0].onmessage = ({ data }) => {
    ports[0].postMessage('shared ' + double(data));
  };
};

function double(number) {
  return 2 * number;
}
