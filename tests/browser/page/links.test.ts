// Compares the drawn lines of springs, tethers and joints with their points in three.js.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LineSegments, Quaternion, Vector3 } from "three";
import { describeScene } from "../../../client/web/src/describe";
import type { Link } from "../../../client/web/src/messages";
import type { Vec } from "../../../client/web/src/vec";
import { Bodies } from "../../../client/web/src/view/bodies";
import { BodyKind, LinkKind, ROW, World } from "../../../client/web/src/world";
import { loadCore } from "./support";

const core = loadCore();
const TICKS = 40;

function pointOf(world: World, id: number | null, at: Vec): Vector3 {
  const point = new Vector3(...at);
  if (id === null) return point;
  const [px, py, pz, vx, vy, vz, wx, wy, wz] = [...world.state(id)];
  assert.ok([vx, vy, vz, wx, wy, wz].every(Number.isFinite));
  const row = new Float32Array(world.rows()).subarray(id * ROW.WORDS);
  return point.applyQuaternion(new Quaternion(row[3], row[4], row[5], row[6]))
    .add(new Vector3(px, py, pz));
}

// Returns the ends of the drawn lines.
function drawnOf(bodies: Bodies): Vector3[] {
  const [lines] = bodies.group.children.filter((child) => child instanceof LineSegments);
  const place = lines.geometry.getAttribute("position");
  return Array.from({ length: lines.geometry.drawRange.count }, (_, i) =>
    new Vector3().fromBufferAttribute(place, i));
}

const near = (a: Vector3, b: Vector3): boolean => a.distanceTo(b) < 1e-4;

for (const name of ["playground", "cradle", "ragdolls:2", "chain", "springs:30", "lander"]) {
  test(`${name}: every spring, tether and joint is a line`, () => {
    const world = World.fromName(core, name);
    const scene = describeScene(world);
    const bodies = new Bodies();
    bodies.load(scene);
    for (let i = 0; i < TICKS; ++i) world.step([]);
    bodies.draw(world.rows());
    const drawn = drawnOf(bodies);
    const has = (from: Vector3, to: Vector3) =>
      drawn.some((end, i) => i % 2 === 0 && near(end, from) && near(drawn[i + 1], to));
    let expected = 0;
    for (const { kind, a, b, at_a, at_b } of world.links()) {
      const from = pointOf(world, a, at_a as Vec);
      const to = pointOf(world, kind === LinkKind.TETHER ? null : b, at_b as Vec);
      if (kind <= LinkKind.DISTANCE) {
        assert.ok(has(from, to), `link ${a} ${b}`);
        ++expected;
        continue;
      }
      assert.ok(from.distanceTo(to) < 0.05, `the points of ${a} and ${b} are not at one place`);
      for (const [body, point] of [[a, from], [b, to]] as const) {
        const center = pointOf(world, body, [0, 0, 0]);
        if (scene.bodies[body].kind === BodyKind.ANCHOR || near(center, point)) continue;
        assert.ok(has(center, point), `joint ${a} ${b}`);
        ++expected;
      }
    }
    assert.ok(expected > 0);
    assert.equal(drawn.length, 2 * expected);
  });
}

test("a link of a removed body is not drawn", () => {
  const world = World.fromName(core, "cradle");
  const bodies = new Bodies();
  bodies.load(describeScene(world));
  bodies.draw(world.rows());
  const before = drawnOf(bodies).length;
  const rows = new Uint32Array(world.rows());
  const last = rows.length - ROW.WORDS;
  bodies.draw(rows.slice(0, last).buffer);
  const after = drawnOf(bodies).length;
  assert.ok(after > 0 && after < before, `${before} ${after}`);
});

test("too many links are not drawn", () => {
  const scene = describeScene(World.fromName(core, "cradle"));
  const links: Link[] = Array.from({ length: 20_001 }, () => scene.links[0]);
  const bodies = new Bodies();
  bodies.load({ ...scene, links });
  bodies.draw(World.fromName(core, "cradle").rows());
  assert.equal(drawnOf(bodies).length, 0);
});
