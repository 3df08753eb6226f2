// How counts of a worker come home when nobody can read them there: a shared worker, or one that is ended at once.

/** Name of the channel, on which the agent of each page listens; of the property of a message where there is none. */
export const CHANNEL = '__explorer$counts';

/**
 * Runs in a dedicated or shared worker, where it stands as text: it names nothing of this module.
 *
 * After each message that the worker is given, and a few times later for what goes on by itself, it sends the slots
 * that became non-zero: `{key: [slots]}`. A worker from a data: URL has no origin and hence no channel: its counts
 * go ahead of its own messages.
 *
 * @param {object} g the global object
 * @param {string} channel
 */
export function comeHome(g, channel) {
  const { BroadcastChannel, addEventListener, setTimeout, queueMicrotask } = g;
  const keysOf = g.Object.keys;
  if (g.document || !BroadcastChannel || !(g.DedicatedWorkerGlobalScope || g.SharedWorkerGlobalScope)) return;
  const known = {};
  const opaque = g.origin === 'null';
  const line = opaque ? null : new BroadcastChannel(channel);
  const post = g.postMessage;
  const send = () => {
    const found = {};
    let any = false;
    for (const key of keysOf(g.__cov$)) {
      const counts = g.__cov$[key];
      const seen = known[key] || (known[key] = new g.Uint8Array(counts.length));
      for (let slot = counts.length; slot--; ) {
        if (!counts[slot] || seen[slot]) continue;
        seen[slot] = 1;
        (found[key] || (found[key] = [])).push(slot);
        any = true;
      }
    }
    if (any) opaque ? post.call(g, { [channel]: found }) : line.postMessage(found);
  };
  if (opaque && post) {
    g.postMessage = function () {
      send();
      return post.apply(g, arguments);
    };
  }
  const soon = () => {
    queueMicrotask(send);
    for (const ms of [0, 50, 200, 1000]) setTimeout(send, ms);
  };
  addEventListener.call(g, 'message', soon);
  addEventListener.call(g, 'connect', (event) => {
    event.ports[0].addEventListener('message', soon);
    soon();
  });
  soon();
}
