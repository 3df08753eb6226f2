const areas: Record<string, (size: number) => number> = {
  circle: (r) => Math.PI * r * r,
  square(side) {
    return side * side;
  },
};

export function shape(kind: string, size = 1): number {
  const area = areas[kind];
  return area ? area(size) : -1;
}

export function unused(n: number): number {
  let sum = 0;
  while (n > 0) {
    sum += n;
    n--;
  }
  return sum;
}
