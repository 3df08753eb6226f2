// Line ends of two characters, and a byte order mark in front: ä 😀
var on = function (id, handler) { document.getElementById(id).addEventListener('click', handler); };
on('choices', function choose() {
  for (var i = 0; i < 6; i++) {
    switch (i) {
      case 0:
        continue;
      case 1:
      case 2:
        note('low');
        break;
      case 9:
        note('never');
        break;
      default:
        if (i === 5) note('high');
    }
    i > 3 ? note('yes') : note('no');
    i === 4 && note('four');
    i === 40 && note('forty');
  }
  outer: while (true) {
    do { if (i++ > 8) break outer; } while (i < 100);
  }
  return i;
  note('dead');
});
function note(text) { document.getElementById('out').textContent += text; }
on('failing', function fail() {
  note('before');
  absent.method();
  note('after');
});
on('catching', function guard() {
  try {
    note('trying');
    JSON.parse('{');
    note('not reached');
  } catch (error) {
    note(error.name);
  } finally {
    note('at last');
  }
  const list = [1, 2, 3].map((one) => one * 2).filter((one) => one > 2);
  for (const one of list) note(one);
});
on('made', function make() {
  const twice = new Function('x', 'return x * 2;');
  note(twice(2));
  const script = document.createElement('script');
  script.text = 'note("from a script that was made");';
  document.head.append(script);
});
