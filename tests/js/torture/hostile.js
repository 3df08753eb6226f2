// An app that changes what it stands on: prototypes, frozen intrinsics.
Array.prototype.map = function () { return 'patched'; };
Array.prototype.forEach = null;
Object.prototype.added = 'on every object';
Object.defineProperty(Array.prototype, 'extra', { value: () => 'extra', enumerable: true });
Object.freeze(Array.prototype);
Object.freeze(Object.prototype);
var seen = [];
for (var name in { own: 1 }) seen[seen.length] = name;
function frozen(a = 1) { return a && [].map() }
note(seen.join(), frozen(), [].extra());
Object.defineProperty = function () { throw new Error('not yours'); };
Uint32Array = null;
note((() => 1 && 2)());
done();
