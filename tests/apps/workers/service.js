importScripts('/count.js');
hit('service', 0);
