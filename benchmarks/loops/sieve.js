// Primes below three million: a tight loop over a typed array.
function run() {
  const size = 3000000;
  const composite = new Uint8Array(size);
  let count = 0;
  for (let i = 2; i < size; i++) {
    if (composite[i]) continue;
    count++;
    for (let j = i * 2; j < size; j += i) {
      composite[j] = 1;
    }
  }
  return count;
}
