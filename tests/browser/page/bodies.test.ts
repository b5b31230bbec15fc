// Compares the matrices of drawn bodies with three.js, and their colours with the scene.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Matrix4, Quaternion, Vector3 } from "three";
import { describeScene } from "../../../client/web/src/describe";
import { Bodies } from "../../../client/web/src/view/bodies";
import { piecesOf } from "../../../client/web/src/view/shapes";
import { ROW, World } from "../../../client/web/src/world";
import { loadCore, meshesOf } from "./support";

const core = loadCore();

function compose(position: ArrayLike<number>, turn: ArrayLike<number>, scale: ArrayLike<number>) {
  const [px, py, pz] = Array.from(position), [x, y, z, w] = Array.from(turn);
  const [sx, sy, sz] = Array.from(scale);
  return new Matrix4().compose(new Vector3(px, py, pz), new Quaternion(x, y, z, w),
                               new Vector3(sx, sy, sz));
}

const sorted = (lists: number[][]) => lists.map((list) => list.map((x) => x.toFixed(3)).join())
  .sort();

for (const scene of ["playground", "jumble:60", "boxes:40", "solar"]) {
  test(`${scene}: every piece is drawn at its place, with a colour`, () => {
    const description = describeScene(World.fromName(core, scene));
    const world = World.fromName(core, scene);
    for (let i = 0; i < 25; ++i) world.step([]);
    const rows = world.rows();
    const numbers = new Float32Array(rows);
    const bodies = new Bodies();
    bodies.load(description);
    bodies.draw(rows);
    const expected = description.bodies.flatMap((_, row) => {
      const pose = numbers.subarray(row * ROW.WORDS, row * ROW.WORDS + 7);
      const body = compose(pose.subarray(0, 3), pose.subarray(3), [1, 1, 1]);
      return piecesOf(description.bodies[row]).map((piece) =>
        body.clone().multiply(compose(piece.position, piece.orientation, piece.scale)).toArray());
    });
    const meshes = meshesOf(bodies);
    const drawn = meshes.flatMap((mesh) => Array.from({ length: mesh.count }, (_, i) =>
      [...mesh.instanceMatrix.array.slice(16 * i, 16 * i + 16)]));
    assert.deepEqual(sorted(drawn), sorted(expected));
    for (const mesh of meshes) {
      for (let i = 0; i < mesh.count; ++i) {
        const color = mesh.instanceColor!.array.slice(3 * i, 3 * i + 3);
        assert.ok(color.some((part) => part > 0.1), `${mesh.geometry.type} ${i}`);
      }
    }
  });
}

test("only the selected body changes its colour", () => {
  const bodies = new Bodies();
  const world = World.fromName(core, "boxes:40");
  bodies.load(describeScene(world));
  bodies.draw(world.rows());
  const colors = () => meshesOf(bodies)
    .flatMap((mesh) => [...mesh.instanceColor!.array]);
  const before = colors();
  bodies.selected = 7;
  bodies.draw(world.rows());
  const changed = colors().filter((part, i) => part !== before[i]).length;
  assert.ok(changed >= 1 && changed <= 3, `${changed}`);
  bodies.selected = null;
  bodies.draw(world.rows());
  assert.deepEqual(colors(), before);
});
