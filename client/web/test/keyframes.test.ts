// Tests the images that a page keeps of an opened log, and the states that it finds with them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Code, CoreError } from "../src/core";
import { difference, restored, wordsOf } from "../src/history/delta";
import { Keyframes } from "../src/history/keyframes";
import { Walker } from "../src/history/walker";
import { Log } from "../src/log";
import { Recording } from "../src/recording";
import { World } from "../src/world";
import { goldenLog, loadCore, randomNumbers, unexpected } from "./support";

const core = loadCore();
const bytes = goldenLog(core);
const LAST = 620;

// Returns bytes of which few depend on `seed`.
function imageOf(seed: number, size = 1003): Uint8Array {
  const image = new Uint8Array(size).fill(7);
  for (let i = 0; i < size; i += 40) image[i] = seed + i;
  return image;
}

test("a difference gives back each word", () => {
  const random = randomNumbers(5);
  for (const size of [0, 1, 4, 127, 128, 129, 1000]) {
    const base = new Uint8Array(size).map(() => 256 * random());
    const image = base.map((byte) => random() < 0.1 ? 256 * random() : byte);
    const [a, b] = [wordsOf(base), wordsOf(image)];
    const delta = difference(a, b);
    assert.deepEqual(restored(a, delta), b);
    assert.ok(delta.length <= b.length + Math.ceil(b.length / 32));
  }
});

test("images stay within the bytes, dense near the shown tick", () => {
  for (const shown of [0, 5000, 20000]) {
    const keyframes = new Keyframes(100_000);
    keyframes.centre(shown);
    for (let tick = 0; tick <= 20_000; ++tick) {
      if (keyframes.wants(tick)) keyframes.add(tick, imageOf(tick));
      assert.ok(keyframes.bytes <= keyframes.bytesMax);
    }
    assert.ok(keyframes.bytes > 0.9 * keyframes.bytesMax);
    const { ticks } = keyframes;
    assert.equal(ticks[0], 0);
    const gaps = (from: number, to: number) => ticks.slice(1)
      .map((tick, i) => [tick, tick - ticks[i]])
      .filter(([tick]) => Math.abs(tick - shown) >= from && Math.abs(tick - shown) < to)
      .map(([, gap]) => gap);
    const near = gaps(0, 600), far = gaps(4000, 20000);
    assert.ok(4 * Math.max(...near) <= Math.max(...far), `${near} and ${far}`);
    for (const tick of ticks) assert.deepEqual(keyframes.image(tick), imageOf(tick));
    assert.equal(keyframes.before(ticks[3] + 1), ticks[3]);
    assert.equal(keyframes.image(ticks[3] + 1), null);
  }
});

test("gaps near another tick are filled, and filling ends", () => {
  const keyframes = new Keyframes(100_000);
  for (let tick = 0; tick <= 20_000; ++tick) {
    if (keyframes.wants(tick)) keyframes.add(tick, imageOf(tick));
  }
  keyframes.centre(15_000);
  const near = () => keyframes.ticks.filter((tick) => Math.abs(tick - 15_000) < 400).length;
  const before = near();
  let added = 0;
  for (let ticks; ticks = keyframes.gap(400, 20_000);) {
    for (const tick of ticks) keyframes.add(tick, imageOf(tick));
    assert.ok((added += ticks.length) < 1000);
    assert.ok(ticks.length > 0 && keyframes.bytes <= keyframes.bytesMax);
  }
  assert.ok(near() > 3 * before, `${before} and ${near()}`);
});

test("an image that is larger than the memory is not kept", () => {
  const keyframes = new Keyframes(1000);
  for (const tick of [0, 1, 700]) keyframes.add(tick, imageOf(tick));
  assert.deepEqual([keyframes.bytes, keyframes.ticks], [0, []]);
  assert.equal(keyframes.before(700), null);
  assert.equal(keyframes.wants(900), false);
  assert.equal(keyframes.gap(100, 2000), null);
});

// Returns the hashes of all states, by stepping from tick 0.
function hashes(log: Log): bigint[] {
  const world = World.fromScene(core, log.scene());
  const found = [world.info().hash];
  for (const { commands } of log.recordsAfter(0)) {
    world.step(commands);
    found.push(world.info().hash);
  }
  return found;
}

// [bytes of memory, ticks of a step backwards, what happens]
for (const [memory, back, name] of [[1 << 20, 1, "images serve"],
                                    [100, 31, "only checkpoints serve"]] as const) {
  test(`any state equals that of stepping from tick 0: ${name}`, () => {
    const log = new Log(core, [bytes]);
    const expected = hashes(log);
    assert.equal(expected.length, LAST + 1);
    const keyframes = new Keyframes(memory);
    const walker = new Walker(core, log, keyframes);
    const check = (tick: number) => {
      const { world } = walker;
      walker.goTo(tick);
      assert.deepEqual([world.info().tick, world.info().hash], [tick, expected[tick]]);
      if (keyframes.wants(tick)) keyframes.add(tick, world.save());
    };
    for (let tick = 0; tick <= LAST; ++tick) check(tick);
    for (let tick = LAST; tick >= 0; tick -= back) check(tick);
    const random = randomNumbers(3);
    for (let i = 0; i < 200 / back; ++i) check(Math.floor((LAST + 1) * random()));
    assert.equal(keyframes.ticks.length > 0, memory > 100);
  });
}

test("a walk that another one overtook leaves the world where it is", () => {
  const log = new Log(core, [bytes]);
  const walker = new Walker(core, log, new Keyframes());
  const walk = walker.walk(200);
  for (let i = 0; i < 5; ++i) walk.next();
  const { hash } = walker.goTo(200).info();
  log.seek = unexpected;
  while (!walk.next().done);
  assert.deepEqual([walker.world.info().tick, walker.world.info().hash], [200, hash]);
});

test("if the checkpoint is lost, the log finds the state", () => {
  const log = new Log(core, [bytes]);
  const expected = hashes(log);
  const walker = new Walker(core, log, new Keyframes());
  walker.goTo(50);
  const seek = log.seek.bind(log);
  const sought: number[] = [];
  log.seek = (tick) => {
    if (sought.push(tick) === 1) throw new CoreError(Code.NOT_FOUND, "this tick was lost");
    return seek(tick);
  };
  assert.equal(walker.goTo(20).info().hash, expected[20]);
  assert.deepEqual(sought, [0, 20]);
});

test("beyond the end, the last state stays", () => {
  const log = new Log(core, [bytes]);
  const walker = new Walker(core, log, new Keyframes());
  assert.throws(() => walker.goTo(LAST + 1), CoreError);
  assert.equal(walker.world.info().tick, LAST);
  assert.equal(walker.goTo(5).info().hash, log.seek(5).info().hash);
});

test("at rest, images are collected around the shown tick", () => {
  const recording = new Recording(core, [bytes], "golden", unexpected);
  const log = new Log(core, [bytes]);
  recording.seek(300, true);
  for (const job = recording.settle(() => {}); !job.next().done;);
  assert.equal(recording.memory.bytes, 0);  // somebody drags
  recording.seek(300, false);
  for (const job = recording.settle(() => {}); !job.next().done;);
  const { bytes: kept, bytesMax } = recording.memory;
  assert.ok(kept > 0 && kept <= bytesMax);
  for (const tick of [300, 299, 298, 305, 100]) {
    recording.seek(tick, false);
    const frame = recording.frame();
    assert.deepEqual([frame.tick, BigInt(frame.hash)], [tick, log.seek(tick).info().hash]);
  }
});
