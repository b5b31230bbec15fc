// Tests an opened log: facts, any tick, playback, verification, a broken bit.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { brokenPasses, comparePasses, Ghost } from "../../../client/web/src/compare";
import { CoreError, CoreFault } from "../../../client/web/src/core";
import { Log } from "../../../client/web/src/log";
import type { Parting, Verified } from "../../../client/web/src/messages";
import { Recording } from "../../../client/web/src/recording";
import { rowsElsewhere } from "../../../client/web/src/view/ghost";
import { ROW, World } from "../../../client/web/src/world";
import { goldenLog, loadCore, randomNumbers, root, unexpected } from "./support";

const core = loadCore();
const bytes = goldenLog(core);
const LAST = 620;

function idsOf(world: World): number[] {
  const words = new Uint32Array(world.rows());
  return Array.from({ length: words.length / ROW.WORDS }, (_, i) => words[i * ROW.WORDS + ROW.ID]);
}

test("stepping the commands of the records gives the states of the log", () => {
  const log = new Log(core, [bytes]);
  const world = World.fromScene(core, log.scene());
  const start = 250;
  world.restore(log.seek(start).save());
  for (const { tick, commands } of log.recordsAfter(start)) {
    world.step(commands);
    if (tick % 50 === 0) assert.equal(world.info().hash, log.seek(tick).info().hash, `${tick}`);
  }
  assert.equal(world.info().tick, LAST);
});

test("records begin after the given tick", () => {
  const log = new Log(core, [bytes]);
  for (const tick of [0, 1, 300, LAST - 1]) {
    assert.equal(log.recordsAfter(tick).next().value!.tick, tick + 1);
  }
  assert.equal(log.recordsAfter(LAST).next().done, true);
});

// The next move of a drag waits for the end of a slice.
test("a slice on the way to a tick steps one tick", () => {
  const recording = new Recording(core, [bytes], "golden", unexpected);
  recording.seek(9, true);
  const job = recording.settle(() => {});
  let slices = 1;
  while (!job.next().done) ++slices;
  assert.equal(slices, 9);
  recording.destroy();
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

for (const bytesMax of [0, 1 << 20]) {
  test(`any state equals that of stepping from tick 0, with ${bytesMax} bytes of states`, () => {
    const log = new Log(core, [bytes]);
    log.keep(bytesMax);
    for (let ticks = 0, ended = false; !ended; ticks = 20) {
      [, , ended] = log.verify(ticks, ticks === 0);
    }
    const expected = hashes(log);
    assert.equal(expected.length, LAST + 1);
    const random = randomNumbers(3);
    for (let i = 0; i < 60; ++i) {
      const tick = Math.floor((LAST + 1) * random());
      let slices = 1;
      while (!log.approach(tick, 30)) ++slices;
      assert.ok(slices <= (bytesMax > 0 ? 1 : 21), `${slices}`);
      const { tick: reached, hash } = log.world!.info();
      assert.deepEqual([reached, hash], [tick, expected[tick]]);
      if (i % 10 === 0) while (!log.prepare(20));
    }
    assert.equal(log.info().kept_bytes > 0, bytesMax > 0);
    assert.ok(log.info().kept_bytes <= bytesMax);
  });
}

test("at rest, states are collected around the shown tick", () => {
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

test("a recording shows any tick, and says so", () => {
  const recording = new Recording(core, [bytes], "golden", unexpected);
  assert.equal(recording.facts(null).last, LAST);
  const log = new Log(core, [bytes]);
  for (const tick of [400, 10, 620, 0]) {
    const world = log.seek(tick);
    const body = recording.selected = idsOf(world)[2];
    recording.seek(tick, false);
    const frame = recording.frame();
    assert.equal(frame.tick, tick);
    assert.deepEqual(new Uint8Array(frame.rows!), new Uint8Array(world.rows()));
    assert.deepEqual(frame.selected!.numbers, world.state(body));
    assert.equal(BigInt(frame.hash), world.info().hash);
    assert.equal(recording.frame().rows, null);  // nothing has changed
  }
  recording.selected = 4e9;
  recording.seek(9999, false);
  assert.equal(recording.frame().selected, null);  // there is no such body
  assert.equal(recording.frame().tick, LAST);  // the last one
});

test("while somebody drags, the poses of the track are shown", () => {
  const recording = new Recording(core, [bytes], "golden", unexpected);
  recording.seek(401, true);
  assert.equal(recording.frame().exact, true);  // there is no track yet
  const job = recording.collect(() => {});
  while (!job.next().done);
  recording.seek(401, true);
  const frame = recording.frame();
  assert.deepEqual([frame.exact, frame.tick], [false, 400]);
  const exact = new Log(core, [bytes]).seek(400).rows();
  assert.deepEqual(new Uint8Array(frame.rows!), new Uint8Array(exact));
  recording.seek(401, false);
  assert.equal(recording.frame().tick, 401);
});

function verify(...segments: Uint8Array[]): Verified[] {
  const seen: Verified[] = [];
  const recording = new Recording(core, segments, "", unexpected);
  for (const job of [recording.verify((verified) => seen.push(verified)),
                     recording.collect(() => {})]) {
    while (!job.next().done);
  }
  return seen;
}

test("a log verifies, with progress", () => {
  const seen = verify(bytes);
  assert.ok(seen.length > 1);
  assert.deepEqual(seen.at(-1),
                   { ticks: LAST, last: LAST, done: true, divergent: null, fault: "" });
  assert.ok(seen.slice(0, -1).every(({ done }) => !done));
});

test("a log of several files verifies to its end", () => {
  const path = `tests/golden/logs/rules-${core.versions.rules}-format-8-given-up.orrery`;
  const [first, second] = [path, `${path}.0001`].map((file) =>
    new Uint8Array(readFileSync(root(file))));
  const end = verify(first, second).at(-1)!;
  assert.equal(end.ticks, end.last);
  assert.equal(end.divergent, null);
  assert.ok(verify(first).at(-1)!.last < end.last);
  const recording = new Recording(core, [first, second], "", unexpected);
  recording.seek(end.last, false);
  assert.equal(recording.frame().tick, end.last);
});

test("a damaged log does not verify to its end", () => {
  const damaged = bytes.slice();
  damaged[bytes.length >> 1] ^= 1;
  const end = verify(damaged).at(-1)!;
  assert.ok(end.ticks < LAST && end.fault !== "", JSON.stringify(end));
});

test("bytes that are no log get one sentence", () => {
  assert.throws(() => new Recording(core, [new TextEncoder().encode("no log")], "", unexpected),
                (error) => error instanceof CoreError && /^the log /.test(error.message));
});

test("a log of other rules shows its checkpoints only, and says so", () => {
  const old = new Uint8Array(readFileSync(root("tests/golden/logs/rules-6-format-4.orrery")));
  const errors: unknown[] = [];
  const recording = new Recording(core, [old], "", (error) => errors.push(error));
  assert.equal(recording.facts(null).otherRules, true);
  recording.seek(600, false);
  assert.equal(recording.frame().tick, 600);
  assert.deepEqual(errors, []);
  recording.seek(610, false);
  assert.equal(recording.frame().tick, 600);  // it stays there
  assert.match((errors[0] as Error).message, /recorded under rules 6; this build has rules 20/);
  assert.throws(() => recording.verify(unexpected).next(), /rules 6/);
});

test("memory that runs out is a fault with a reason", () => {
  const full = loadCore();
  full.slot("name", 64);
  for (const size of [1 << 26, 1 << 16]) while (full.run("malloc", size) !== 0);
  assert.throws(() => World.fromName(full, "free:10000"),
                (error) => error instanceof CoreFault && error.message === "memory ran out");
});

test("a broken bit is named, and the worlds part", () => {
  const log = new Log(core, [bytes]);
  const fault = { body: 7, field: "velocity.y", bit: 30 };
  let last: Parting | null = null;
  const ghost = new Ghost(100);
  const passes = brokenPasses(core, log, log.seek(100), fault, ghost);
  for (const _ of comparePasses(passes, (parting) => { last = parting; }));
  assert.deepEqual([last!.tick, last!.first!.body, last!.first!.field], [100, 7, "velocity.y"]);
  assert.equal(last!.first!.a, log.seek(100).state(7)[8]);
  assert.notEqual(last!.first!.a, last!.first!.b);
  assert.equal(last!.points.length, 601);
  assert.deepEqual([last!.points[0].bodies, last!.points[0].distance], [1, 0]);
  assert.ok(last!.points[10].distance > 0);
  assert.equal(ghost.at(99), null);
  assert.equal(ghost.at(701), null);
  assert.deepEqual(rowsElsewhere(log.seek(100).rows(), ghost.at(100)!), [new ArrayBuffer(0), 0]);
  const [elsewhere, apart] = rowsElsewhere(log.seek(300).rows(), ghost.at(300)!);
  const { distance, bodies } = last!.points[200];
  assert.ok(Math.abs(apart - distance) < 1e-5, `${apart} is not ${distance}`);
  assert.ok(elsewhere.byteLength > 0 && elsewhere.byteLength <= bodies * ROW.BYTES);
});

test("rows have the ids and the scene bodies", () => {
  const world = new Log(core, [bytes]).seek(300);
  const words = new Uint32Array(world.rows());
  const ids = idsOf(world);
  assert.equal(ids.length, world.info().bodies);
  ids.forEach((id, i) =>
    assert.equal(words[i * ROW.WORDS + ROW.SCENE_BODY], world.body(id).scene_body));
});
