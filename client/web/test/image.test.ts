// Tests the checksum of images, and changes of single bits.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FIELDS, Image } from "../src/image";
import { World } from "../src/world";
import { xxh3 } from "../src/xxh3";
import { loadCore } from "./support";

const core = loadCore();

for (const scene of ["playground", "boxes:30", "free:200", "ragdolls:9"]) {
  test(`${scene}: the checksum of its image is XXH3`, () => {
    const world = World.fromName(core, scene);
    for (let i = 0; i < 3; ++i) world.step([]);
    const image = world.save();
    const end = image.length - 8;
    assert.equal(xxh3(image.subarray(0, end)), new DataView(image.buffer).getBigUint64(end, true));
    world.destroy();
  });
}

test("each field of a body can be found and broken", () => {
  const world = World.fromName(core, "playground");
  for (let i = 0; i < 30; ++i) world.step([]);
  const image = new Image(world.save());
  const body = 36;
  const state = world.state(body);
  for (const [i, place] of [[0, 0], [1, 1], [2, 2], [3, 7], [4, 8], [5, 9], [9, 3], [12, 6]]) {
    assert.equal(image.number(body, i), state[place], FIELDS[i]);
  }
  const other = World.fromName(core, "playground");
  FIELDS.forEach((field, i) => {
    const broken = image.flipped(body, field, 3);
    assert.deepEqual(image.difference(broken), { slot: body, field: i });
    other.restore(broken.bytes);
    assert.equal(other.info().tick, 30);
    assert.notEqual(other.info().hash, world.info().hash, field);
  });
  assert.equal(image.difference(image), null);
  other.restore(image.bytes);
  assert.equal(other.info().hash, world.info().hash);
});

test("an image with a wrong checksum is refused", () => {
  const world = World.fromName(core, "playground");
  const image = world.save();
  image[100] ^= 1;
  assert.throws(() => world.restore(image), /image/);
});
