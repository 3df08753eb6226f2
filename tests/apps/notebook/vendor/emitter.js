/*! emitter v2.1.0 | MIT */
function Emitter() {
  this.listeners = {};
}
Emitter.prototype.on = function (name, listener) {
  (this.listeners[name] = this.listeners[name] || []).push(listener);
};
Emitter.prototype.off = function (name, listener) {
  this.listeners[name] = (this.listeners[name] || []).filter(function (item) {
    return item !== listener;
  });
};
Emitter.prototype.emit = function (name, value) {
  (this.listeners[name] || []).forEach(function (listener) {
    listener(value);
  });
};
