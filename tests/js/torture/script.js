// Semantics that an instrumenter may break, in a sloppy classic script. `note` collects what was seen.
// Names of functions, wherever the language gives one.
class Named {
  #secret = () => 1;
  static made = function () {};
  arrow = () => this;
  ['computed' + 1] = () => 2;
  ['computed' + 2] = function () {};
  static ['static' + 1] = () => 3;
  static ['static' + 2] = class {};
  'quoted name' = class {};
  42 = () => 42;
  ['__proto__'] = () => 0;
  plain = (1, 2);
  async = 3;
  get = 4
  static static = 5
  'last' = function () { return arguments.length }
  static { note('in static block', Named === undefined, this.made.name, this.static1.name, this.static2.name); }
  names() {
    return [this.#secret.name, this.arrow.name, this.computed1.name, this.computed2.name, this['quoted name'].name, this[42].name, this.last.name];
  }
  #hidden() { return this.plain }
  get shown() { return this.#hidden() }
  has(other) { return #hidden in other }
}
const named = new Named();
note(named.names().join(), named.shown, named.has({}), named.arrow() === named, named.last(1, 2), Object.keys(named).join(), Object.getOwnPropertyNames(Named).join());
const f1 = function () {}, f2 = () => {}, f3 = class {}, f4 = (function () {}), f5 = async (a, b = () => 1) => ({ a, b: b.name });
note(f1.name, f2.name, f3.name, f4.name);
for (let f = () => 1, i = 0; i < 1; i++) note('loop', f.name);
const { p = () => 3, ...rest } = { q: 1 }, [r = class {}] = [];
note(p.name, JSON.stringify(rest), r.name);
let assigned; ({ assigned = function () {} } = {}); note(assigned.name);
let logical; logical ??= () => 1; note(logical.name);
const choice = 1 ? () => 1 : () => 2, either = null || (() => 3); note(choice.name === '', either.name === '');
const proto = ({ __proto__ = () => 4 }) => __proto__.name; note(proto(Object.create(null)));
const sequence = (note('first'), note('second'), function () {}); note(sequence.name === '');

// Parameters: defaults see each other, and have a scope of their own.
function defaults(a = (() => 5)(), b = a, c = () => b) { var b = 6; return [a, b, c()].join(); }
note(defaults(), defaults(1, 2), defaults.length, (function (a, b = 1, c) {}).length);
function shadowed(arguments_ = arguments.length) { return arguments_ } note(shadowed(undefined, 2));

// Labels, loops, and jumps.
outer: for (var i = 0; i < 3; i++) { inner: for (;;) { if (i == 1) continue outer; break inner } note('i' + i) }
a: b: c: while (true) { break a }
block: { note('block'); break block; note('never') }
lone: note('labelled');
jump: if (1) { break jump } else note('never')
label2: function labelled() {} note(typeof labelled);
do note('do'); while (0) note('after do')
do note('do 2')
while (0)
for (var k in { x: 1 }) note(k)
for (const v of [1]) if (v) for (;;) break; else note('never')
for (var w = 5 in {}) ; note(w)
while (false) ; for (; false;) ;
let closures = []; for (let n = 0; n < 3; n++) closures.push(() => n); note(closures.map((g) => g()).join());

// Automatic semicolons and regular expressions beside division.
var x = 1
++x
note(x)
var y = x
/2/1
note(y)
var call = note
;(function () { note('own line') })()
;[1].forEach((one) => note('array ' + one))
var rx = /[/]\/{2}/g, s = 'a///b'; note(s.replace(rx, ''), x++ /2/ 1)
function returns() { return /*c*/ 1
}
function falls() { return
  1 }
note(returns(), falls())
const late = () => {}
;`${note('template')}`

// Branches without blocks, dangling else, empty ones.
if (0) note(1); else if (1) note(2); else note(3)
if (1) if (0) note('never'); else note('dangling')
if (1); else note('never')
if (0) ; else ;
if (1) var hoisted = 5; else var alsoHoisted = 6
note(hoisted, alsoHoisted)
if (1) function annexB() { return 'annex b' }
note(annexB())
switch (3) { case 1: note('1'); case (2, 3): /* : */ note('3'); default: note('default') }
switch (9) { default: note('only default'); case 4: note('4'); break; case 5: }
switch (1) { case 1: let inCase = () => 1; note(inCase.name) }
note((() => { switch (2) { case 1: return 1; case 2: { return 'two' } } })())

// Directives.
function strict() { "use strict"; return this === undefined }
function strict2() { 'use strict'
  return this === undefined }
function onlyDirective() { 'use strict' }
function twoDirectives() { 'other'; 'use strict'; return (function () { return this })() }
function notDirective() { ('use strict'); return this !== undefined }
note(strict(), strict2(), onlyDirective(), twoDirectives(), notDirective())

// Sloppy mode: with, arguments, this, delete, octal, assignment to undeclared names.
with ({ z: 9 }) note(z)
with ({ get inner() { return 'inner' } }) { var fromWith = inner; if (inner) note(fromWith) }
function mapped(a) { arguments[0] = 7; return a } note(mapped(1), 010)
undeclared = 3; note(delete globalThis.undeclared, typeof undeclared)
note((function () { return this === globalThis })(), typeof notDefined)
function hoistedTwice() { return 1 } function hoistedTwice() { return 2 } note(hoistedTwice())
note(hoistedLater()); function hoistedLater() { return 'later' }

// Exceptions: order, and what has run before them.
try { null.x } catch { note('caught') } finally { note('finally') }
function finallyWins() { try { return 1 } finally { return 2 } } note(finallyWins())
const throwing = () => { throw new Error('thrown') }; try { throwing() } catch ({ message = 'none' }) { note(message) }
try { tdz; let tdz = 1 } catch (error) { note(error.name) }
try { const c = 1; c = 2 } catch (error) { note(error.name) }
try { undefinedFunction(note('argument first')) } catch (error) { note(error.name) }

// Operators: short circuits, optional chains, exponents, sequences in heads.
const und = null ?? 5, chain = named?.arrow?.().plain, none = null?.x.y.z(); note(und, chain, none)
note((0 || null) ?? 'left', 0 || (false && note('never')) || 'right', !(1 && 0), (1, 2) || 3, -1 || 2, typeof (0 || 'a'))
for (var q = (0, 1), z2 = q || 2; q < 3 && z2; q++, z2 = q ? z2 : 0) note('head ' + q)
note(2 ** 3 ** 0, 10n ** 2n, 1_000, `a${1 ? 'b' : 'c'}d`, String.raw`\n${0 || 'tag'}`)
const method = { m() { return this.v || 'none' }, v: 'kept' }; note((method.m)(), (0, method.m).call({ v: 0 }), (method.v && method.m)())
note([, 1 && 2, ...(0 || [3])].join(), Object.keys({ ...(1 ? { a: 1 } : {}), ['b' || 'c']: 1 }).join())
note(null?.[0 || note('never')], null?.(0 || note('never')), undefined ?? 'x'?.[0 || 1]);
let target = {}; target.a = target.b = 0 || 1; target.a ||= 2; target.c &&= note('never'); note(JSON.stringify(target))
note(new (class extends (0 || Object) { constructor() { super(); this.own = new.target.name } })().own === '')
delete (0 || target).a; note('a' in target, void (0 || 1))

// Generators and asynchronous functions.
var generator = function* () { const got = (yield 1) || 0; yield got ? 'truthy' : 'falsy'; yield* (0 || [7]) };
var it = generator(); it.next(); note(it.next(5).value, it.next().value, it.next().done)
async function top() { for await (const v of [1, Promise.resolve(2)]) note('await ' + v); let u = (await 3) || 4; return u }
async function* stream(n = 2) { while (n--) yield n }
const arrowAsync = async x => { try { await Promise.reject(x) } catch (e) { return e || 'none' } };

// Objects.
var o = { m() { return super.toString === Object.prototype.toString }, get g() { return 1 }, set g(v) { note('set ' + v) }, ['k' + 1]: () => 0, async *ag() {}, __proto__: null };
o.g = 2; note(o.k1.name, o.g, Object.getPrototypeOf(o) === null, Object.getOwnPropertyDescriptor(o, 'g').get.name)
class Base { static build() { return new this() } get kind() { return 'base' } } class Derived extends Base { get kind() { return super.kind + '+' } static build() { return super.build() } }
note(Derived.build().kind, Derived.name, (class {}).name === '', new Derived() instanceof Base)

// Source text: what a function's text says, but for what is put in.
note(text(f2), text(defaults), text(Derived), text(strict), text(onlyDirective), text(o.m), text(arrowAsync), text(Named))
note(text(function () { /* a string
in a comment */ }), text((a, b) => a ? b : a || b), text(function (a) { if (a) return 1; else if (!a) return 2; a && note(a) }))
note(new Function('return ' + text(returns))()(), eval('(' + text((v = 1) => v || 2) + ')')(), eval('1;2'), eval('if(1){7}'))
note('</script>', "<!--", x <!--y
)
--> a comment to the end of the line
note([1, 2, 3].map((v) => { if (v > 1) return v; }).join())
;;;
{}
{ let x = 'block'; { let x = 'inner'; note(x) } note(x) }
top().then((u) => note('top ' + u)).then(() => arrowAsync('rejected')).then(note).then(async () => { for await (const v of stream()) note('stream ' + v) })
  .then(() => f5(1)).then((v) => note(JSON.stringify(v))).then(done, (error) => done(error))
