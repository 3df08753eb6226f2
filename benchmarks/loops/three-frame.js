// One frame of a three.js scene graph without the GPU: matrices, culling, rays, animation.
import * as THREE from './three.module.js';

const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(60, 1.6, 0.1, 200);
camera.position.set(0, 10, 40);
const geometry = new THREE.BoxGeometry(1, 1, 1);
const material = new THREE.MeshBasicMaterial();
const groups = [];
for (let i = 0; i < 60; i++) {
  const group = new THREE.Group();
  group.position.set((i % 10) * 4 - 20, 0, Math.floor(i / 10) * 4 - 12);
  for (let j = 0; j < 10; j++) {
    const mesh = new THREE.Mesh(geometry, material);
    mesh.position.set(Math.cos(j), j * 0.3, Math.sin(j));
    group.add(mesh);
  }
  scene.add(group);
  groups.push(group);
}
const frustum = new THREE.Frustum();
const projection = new THREE.Matrix4();
const caster = new THREE.Raycaster();
const pointer = new THREE.Vector2();

function frame(time) {
  for (const group of groups) {
    group.rotation.y = time * 0.01;
    group.children.forEach((mesh, i) => mesh.rotation.set(time * 0.01, i, 0));
  }
  camera.lookAt(0, 0, 0);
  scene.updateMatrixWorld();
  camera.updateMatrixWorld();
  frustum.setFromProjectionMatrix(projection.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse));
  let visible = 0;
  scene.traverse((node) => {
    if (node.isMesh && frustum.intersectsObject(node)) visible++;
  });
  pointer.set(Math.sin(time * 0.05), Math.cos(time * 0.03));
  caster.setFromCamera(pointer, camera);
  return visible + caster.intersectObjects(scene.children, true).length;
}

globalThis.run = () => {
  let sum = 0;
  for (let time = 0; time < 60; time++) sum += frame(time);
  return sum;
};
