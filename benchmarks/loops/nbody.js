// Five bodies under gravity: floating point on object fields.
function run() {
  const bodies = [
    { x: 0, y: 0, z: 0, vx: 0, vy: 0, vz: 0, mass: 39.47 },
    { x: 4.84, y: -1.16, z: -0.1, vx: 0.6, vy: 2.81, vz: -0.02, mass: 0.037 },
    { x: 8.34, y: 4.12, z: -0.4, vx: -1.01, vy: 1.82, vz: 0.008, mass: 0.011 },
    { x: 12.89, y: -15.11, z: -0.22, vx: 1.08, vy: 0.86, vz: -0.01, mass: 0.0017 },
    { x: 15.37, y: -25.91, z: 0.17, vx: 0.97, vy: 0.59, vz: -0.03, mass: 0.002 },
  ];
  for (let step = 0; step < 300000; step++) advance(bodies, 0.01);
  return energy(bodies);
}

function advance(bodies, dt) {
  const size = bodies.length;
  for (let i = 0; i < size; i++) {
    const a = bodies[i];
    for (let j = i + 1; j < size; j++) {
      const b = bodies[j];
      const dx = a.x - b.x;
      const dy = a.y - b.y;
      const dz = a.z - b.z;
      const squared = dx * dx + dy * dy + dz * dz;
      const magnitude = dt / (squared * Math.sqrt(squared));
      a.vx -= dx * b.mass * magnitude;
      a.vy -= dy * b.mass * magnitude;
      a.vz -= dz * b.mass * magnitude;
      b.vx += dx * a.mass * magnitude;
      b.vy += dy * a.mass * magnitude;
      b.vz += dz * a.mass * magnitude;
    }
  }
  for (let i = 0; i < size; i++) {
    const body = bodies[i];
    body.x += dt * body.vx;
    body.y += dt * body.vy;
    body.z += dt * body.vz;
  }
}

function energy(bodies) {
  let sum = 0;
  for (const body of bodies) {
    sum += 0.5 * body.mass * (body.vx * body.vx + body.vy * body.vy + body.vz * body.vz);
  }
  return sum;
}
