// Checks that the first picture of a scene shows its bodies whole, at any size of the scene and of
// the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Matrix4, PerspectiveCamera, Vector3 } from "three";
import { describeScene } from "../../../client/web/src/describe";
import type { Scene, SceneBody } from "../../../client/web/src/messages";
import { Bodies } from "../../../client/web/src/view/bodies";
import { boundsOf, type Bounds, type Box } from "../../../client/web/src/view/bounds";
import { aim } from "../../../client/web/src/view/fit";
import { isWall } from "../../../client/web/src/view/shapes";
import { Shown } from "../../../client/web/src/view/shown";
import { BodyKind, PartKind, ROW, World } from "../../../client/web/src/world";
import { loadCore, meshesOf } from "./support";

const core = loadCore();
const PANEL: [number, number] = [322, 74];
const SIZES: [number, number][] = [[760, 380], [360, 560], [1600, 800]];

const isPlane = ({ shapes }: SceneBody): boolean => shapes[0]?.kind === PartKind.PLANE;

function load(name: string): { scene: Scene, rows: ArrayBuffer } {
  const world = World.fromName(core, name);
  return { scene: describeScene(world), rows: world.rows() };
}

// Returns the rows of some bodies.
function rowsOf(scene: Scene, rows: ArrayBuffer, is: (body: SceneBody) => boolean): ArrayBuffer {
  const kept = scene.bodies.flatMap((body, id) => is(body) ? [id] : []);
  const words = new Uint32Array(rows);
  return Uint32Array.from(kept.flatMap((id) =>
    [...words.subarray(id * ROW.WORDS, (id + 1) * ROW.WORDS)])).buffer;
}

function boundsAt(scene: Scene, rows: ArrayBuffer): Bounds {
  const shown = new Shown(scene.bodies, scene.links);
  shown.update(rows);
  return shown.bounds();
}

// Returns the corners of the bodies in the picture, from -1 to 1, and their depth.
function cornersOf(scene: Scene, rows: ArrayBuffer, camera: PerspectiveCamera): Vector3[] {
  const bodies = new Bodies();
  bodies.load(scene);
  bodies.draw(rows);
  camera.updateMatrixWorld();
  return meshesOf(bodies).flatMap((mesh) => {
    const place = mesh.geometry.getAttribute("position");
    return Array.from({ length: mesh.count }, (_, i) => {
      const matrix = new Matrix4();
      mesh.getMatrixAt(i, matrix);
      return Array.from({ length: place.count }, (_, corner) =>
        new Vector3().fromBufferAttribute(place, corner).applyMatrix4(matrix).project(camera));
    }).flat();
  });
}

function cameraAt(bounds: Bounds, [width, height]: [number, number], panel = PANEL) {
  const camera = new PerspectiveCamera(45, width / height, 0.1, 1000);
  aim(camera, bounds, [width, height], panel);
  return camera;
}

const least = (numbers: number[]): number => numbers.reduce((a, b) => Math.min(a, b));
const most = (numbers: number[]): number => numbers.reduce((a, b) => Math.max(a, b));

// `all`: also the fixed bodies fit, except planes and walls.
for (const { name, all } of [
  { name: "dice", all: true }, { name: "pinball", all: true }, { name: "pencils", all: true },
  { name: "cradle", all: false }, { name: "crates", all: false }, { name: "pyramid", all: false },
  { name: "cubes", all: false }, { name: "playground", all: false }, { name: "solar", all: false },
]) {
  test(`${name}: the picture shows its bodies whole`, () => {
    const { scene, rows } = load(name);
    const bounds = boundsAt(scene, rows);
    const drawn = rowsOf(scene, rows, (body) =>
      !isPlane(body) && !isWall(body) && (all || body.kind !== BodyKind.ANCHOR));
    for (const size of SIZES) {
      const corners = cornersOf(scene, drawn, cameraAt(bounds, size));
      const xs = corners.map(({ x }) => x), ys = corners.map(({ y }) => y);
      const said = `${size}: ${[least(xs), most(xs), least(ys), most(ys)]}`;
      assert.ok(most(xs.map(Math.abs)) < 1 && most(ys.map(Math.abs)) < 1, said);
      assert.ok(corners.every(({ z }) => Math.abs(z) < 1), said);
      const [left, bottom] = [1 - 2 * PANEL[0] / size[0], 1 - 2 * PANEL[1] / size[1]];
      assert.ok(most(xs) < left || most(ys) < bottom, `below the panel: ${said}`);
      if (all) assert.ok(most(xs) - least(xs) > 0.7 || most(ys) - least(ys) > 0.7, said);
    }
  });
}

// Returns the scene and its poses, with all lengths multiplied.
function scaled({ scene, rows }: ReturnType<typeof load>, by: number): ReturnType<typeof load> {
  const times = (numbers: number[]) => numbers.map((x) => x * by);
  const bodies = scene.bodies.map((body) => ({
    ...body, half_extents: times(body.half_extents), shapes: body.shapes.map((part) => ({
      ...part, position: times(part.position), half_extents: times(part.half_extents),
      radius: part.radius * by, half_length: part.half_length * by,
      points: part.points.map((x) => x * by) })) }));
  const places = new Float32Array(rows.slice(0));
  for (let at = 0; at < places.length; at += ROW.WORDS) {
    for (let i = 0; i < 3; ++i) places[at + i] *= by;
  }
  return { scene: { ...scene, bodies }, rows: places.buffer };
}

for (const by of [0.005, 5000]) {
  test(`dice, ${by} times the size: the picture is the same`, () => {
    const pictures = [load("dice"), scaled(load("dice"), by)].map(({ scene, rows }) => {
      const camera = cameraAt(boundsAt(scene, rows), [760, 380]);
      return cornersOf(scene, rowsOf(scene, rows, (body) => !isPlane(body)), camera);
    });
    const apart = pictures[0].map((corner, i) => corner.distanceTo(pictures[1][i]));
    assert.ok(most(apart) < 1e-3, `${most(apart)}`);
  });
}

const cube = (x: number, y: number, z: number, half: number): Box =>
  ({ low: [x - half, y - half, z - half], high: [x + half, y + half, z + half] });

test("the box has supports of bodies, and a part of large ones", () => {
  const body = cube(0, 1, 0, 1);
  assert.deepEqual(boundsOf([body], [cube(0, -2, 0, 2)], null).low, [-2, -4, -2]);
  assert.deepEqual(boundsOf([body], [cube(0, -100, 0, 100)], 0).low, [-1.5, -0.5, -1.5]);
  assert.deepEqual(boundsOf([body], [cube(9, 0, 0, 2)], null).low, [-1, 0, -1]);
});

test("the box reaches down to the ground, but not to a far floor", () => {
  const body = cube(0, 10, 0, 1);
  assert.equal(boundsOf([body], [], 0).low[1], 0);
  assert.equal(boundsOf([body], [cube(0, 3, 0, 1)], 0).low[1], 4);
  assert.equal(boundsOf([body], [], -100).low[1], 9);
});

test("the box leaves out few bodies that are far away", () => {
  const pile = Array.from({ length: 100 }, (_, i) => cube(i % 10, 0, Math.floor(i / 10), 0.5));
  const { low, high } = boundsOf([...pile, cube(0, -900, 0, 0.5)], [], null);
  assert.deepEqual([low, high], [[-0.5, -0.5, -0.5], [9.5, 0.5, 9.5]]);
});

test("markers and planes follow the size of the picture", () => {
  const { scene } = load("dice");
  const body = { ...scene.bodies[0], kind: BodyKind.ANCHOR, half_extents: [0.5, 0.5, 0.5],
                 shapes: [] };
  const rows = new Float32Array(ROW.WORDS);
  rows[6] = 1;
  const bodies = new Bodies();
  bodies.load({ ...scene, bodies: [body] });
  const [mesh] = meshesOf(bodies);
  for (const extent of [0.001, 1000, 0.2]) {
    bodies.fit(extent);
    bodies.draw(rows.buffer);
    mesh.geometry.computeBoundingSphere();
    const { radius } = mesh.geometry.boundingSphere!;
    assert.ok(radius > 0.005 * extent && radius < 0.05 * extent, `${radius} of ${extent}`);
  }
});
