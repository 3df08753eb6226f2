// Conway's life on a torus of rows: branches, wrapping and nested arrays.
function run() {
  let grid = [];
  for (let y = 0; y < 120; y++) {
    const row = [];
    for (let x = 0; x < 160; x++) row.push((x * 7919 + y * 31 + ((x * y) >> 3)) % 3 === 0 ? 1 : 0);
    grid.push(row);
  }
  for (let generation = 0; generation < 40; generation++) grid = next(grid);
  return grid.flat().reduce((sum, cell) => sum + cell, 0);
}

function next(grid) {
  return grid.map((row, y) => row.map((cell, x) => {
    const around = neighbours(grid, x, y);
    if (cell === 1) return around === 2 || around === 3 ? 1 : 0;
    return around === 3 ? 1 : 0;
  }));
}

function neighbours(grid, x, y) {
  const rows = grid.length;
  const columns = grid[0].length;
  let count = 0;
  for (let dy = -1; dy <= 1; dy++) {
    const row = grid[(y + dy + rows) % rows];
    for (let dx = -1; dx <= 1; dx++) {
      if (dx === 0 && dy === 0) continue;
      count += row[(x + dx + columns) % columns];
    }
  }
  return count;
}
