// Compares the ray casts of the page with the core's ray casts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { describeScene } from "../../../client/web/src/describe";
import type { Vec } from "../../../client/web/src/vec";
import { pickShown } from "../../../client/web/src/view/rays";
import { isWall } from "../../../client/web/src/view/shapes";
import { World } from "../../../client/web/src/world";
import { loadCore, randomNumbers } from "./support";

const core = loadCore();
const SEED = 20261126;

for (const scene of ["playground", "jumble:60", "mesh:40", "ragdolls:4", "boxes:40"]) {
  test(`${scene}: a ray hits the same body at the same point (seed ${SEED})`, () => {
    const { bodies } = describeScene(World.fromName(core, scene));
    const world = World.fromName(core, scene);
    for (let i = 0; i < 20; ++i) world.step([]);
    const rows = world.rows();
    const places = new Float32Array(rows);
    const random = randomNumbers(SEED);
    const around = (size: number): Vec => [0, 0, 0].map(() => size * (random() - 0.5)) as Vec;
    let hits = 0, grazes = 0;
    for (let n = 0; n < 400; ++n) {
      const at = 9 * Math.floor(random() * places.length / 9);
      const aim = around(1).map((x, i) => x + places[at + i]) as Vec;
      const from = around(6).map((x, i) => aim[i] + x) as Vec;
      const along = aim.map((x, i) => 2 * (x - from[i])) as Vec;
      const theirs = world.cast(from, along);
      // Rays that hit a wall or begin in a part are left out: page and core differ there.
      if (theirs && isWall(bodies[world.body(theirs.body).scene_body])) continue;
      if (theirs?.normal.every((x) => x === 0)) continue;
      const ours = pickShown(bodies, rows, from, along, 10);
      const near = theirs && ours &&
        Math.hypot(...theirs.position.map((x, i) => x - ours.point[i])) < 1e-4;
      hits += Number(near);
      if (near || (!theirs && !ours)) continue;
      assert.ok(isGraze(world, from, along),
                `ray ${n}: ${JSON.stringify([from, along, theirs, ours])}`);
      ++grazes;
    }
    assert.ok(hits > 100 && grazes < 8, `${hits} hits, ${grazes} grazes`);
  });
}

// Returns true if slightly moved rays hit different bodies: an edge, where rounding decides.
function isGraze(world: World, from: Vec, along: Vec): boolean {
  const found = [-1e-4, 0, 1e-4].flatMap((x) => [-1e-4, 0, 1e-4].map((y) => {
    const hit = world.cast([from[0] + x, from[1] + y, from[2] + x - y], along);
    return hit ? `${hit.body} ${hit.part} ${hit.fraction.toFixed(2)}` : "none";
  }));
  return new Set(found).size > 1;
}
