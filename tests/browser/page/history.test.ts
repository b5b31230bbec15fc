// Compares the energy, momentum and hits of logs with the output of `orrery`.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { comparePasses } from "../../../client/web/src/compare";
import { Log } from "../../../client/web/src/log";
import type { HistoryPart, LogEvent, Parting } from "../../../client/web/src/messages";
import { Recording } from "../../../client/web/src/recording";
import { CommandKind, type Totals } from "../../../client/web/src/world";
import { loadCore, root, unexpected } from "./support";

const core = loadCore();
const folder = mkdtempSync(join(tmpdir(), "orrery-history-"));
after(() => rmSync(folder, { recursive: true }));

const orrery = (...words: string[]): string =>
  execFileSync(process.env.ORRERY_TOOL!, words, { encoding: "utf8", maxBuffer: 1 << 28 });

const open = (file: string): Recording =>
  new Recording(core, [new Uint8Array(readFileSync(file))], "", unexpected);

function record(scene: string, ticks: number): string {
  const file = join(folder, `${scene.replace(":", "-")}-${ticks}.orrery`);
  orrery("run", scene, "--ticks", String(ticks), "--log", file);
  return file;
}

function collected(recording: Recording): HistoryPart {
  const all: HistoryPart = { events: [], points: [], hitsEnd: null, done: false };
  const job = recording.collect(({ events, points, hitsEnd, done }) => {
    assert.ok(!all.done);
    all.done = done;
    all.events.push(...events);
    all.points.push(...points);
    all.hitsEnd ??= hitsEnd;
  });
  while (!job.next().done);
  return all;
}

// Sums are compared to 12 digits of the largest number in them.
function near(actual: number[], expected: number[], scale: number, what: string): void {
  actual.forEach((x, i) => assert.ok(Math.abs(x - expected[i]) <= 1e-12 * scale,
                                     `${what}: ${actual} is not ${expected}`));
}

type Printed = { tick: number, energy: number, momentum: number[], angular_momentum: number[] };

function compare(recording: Recording, { tick, energy, momentum, angular_momentum }: Printed) {
  recording.seek(tick, false);
  const totals = recording.frame().totals as Totals;
  const size = (...numbers: number[]) => Math.max(1, ...numbers.map(Math.abs));
  near([totals.energy], [energy], 100 * size(energy), `energy at ${tick}`);
  near(totals.momentum, momentum, 100 * size(...momentum), `momentum at ${tick}`);
  near(totals.angular_momentum, angular_momentum, 100 * size(...angular_momentum),
       `angular momentum at ${tick}`);
}

// Springs, tethers and cloth; mutual gravity in other units; points; free tops; joints; balls.
for (const scene of ["playground", "solar", "springs:64", "tumble", "ragdolls:4", "tethers:20",
                     "spheres:50"]) {
  test(`${scene}: energy and momentum are those that the tool prints`, () => {
    for (const ticks of [7, 150]) {
      const file = record(scene, ticks);
      const { drift } = JSON.parse(orrery("log", "info", file, "--json"));
      const recording = open(file);
      recording.frame();
      compare(recording, drift.last);
      compare(recording, drift.first);
    }
  });
}

test("commands of clients change the sums as the tool says", () => {
  const file = root(`tests/golden/logs/rules-${core.versions.rules}-format-8.orrery`);
  const { drift } = JSON.parse(orrery("log", "info", file, "--json"));
  const recording = open(file);
  recording.frame();
  compare(recording, drift.last);
  const { points } = collected(open(file));
  assert.deepEqual(points.map(({ tick }) => tick),
                   Array.from({ length: drift.last.tick / 4 + 1 }, (_, i) => 4 * i));
  near([points.at(-1)!.energy], [drift.last.energy], Math.abs(drift.last.energy), "energy");
  near([points.at(-1)!.momentum], [Math.hypot(...drift.last.momentum)], 100, "momentum");
});

// [log, ticks of the states that this build can read]
for (const [name, ticks] of [["rules-6-format-4", [0, 600]], ["rules-1", [0]]] as const) {
  test(`${name}: the sums are of its checkpoints`, () => {
    const recording = open(root(`tests/golden/logs/${name}.orrery`));
    const { points, events, done } = collected(recording);
    assert.ok(done);
    assert.deepEqual(points.map(({ tick }) => tick), ticks);
    assert.ok(events.every(({ kind }) => kind !== "hit"));
    assert.ok(events.some(({ kind }) => kind === "join"));
    const { energy, momentum } = points.at(-1)!;
    recording.seek(ticks.at(-1)!, false);
    const totals = recording.frame().totals!;
    assert.deepEqual([energy, momentum], [totals.energy, Math.hypot(...totals.momentum)]);
    assert.ok(ticks.length < 2 || energy !== points[0].energy);
  });
}

test("the hits are those that the tool prints", () => {
  const file = record("bullet", 120);
  const lines = orrery("run", "bullet", "--ticks", "120", "--events").trim().split("\n");
  const expected = lines.map((line) => JSON.parse(line)).filter(({ event }) =>
    event === "hit");
  const { events, hitsEnd } = collected(open(file));
  const hits = events.filter((event) => event.kind === "hit");
  assert.ok(expected.length > 3);
  assert.equal(hitsEnd, null);
  assert.deepEqual(hits.map(({ tick }) => tick), expected.map(({ tick }) => tick));
  assert.deepEqual(hits.map(({ speed }) => speed), expected.map(({ speed }) => speed));
});

test("the commands are those of the records", () => {
  const file = root(`tests/golden/logs/rules-${core.versions.rules}-format-8.orrery`);
  const expected = [...new Log(core, [new Uint8Array(readFileSync(file))]).recordsAfter(0)]
    .flatMap(({ tick, commands }) => commands.map((command) => ({ tick, ...command })))
    .filter(({ kind }) => kind !== CommandKind.MOVE);
  const check = (found: LogEvent[]) => assert.deepEqual(
    found.filter((event) => event.kind !== "hit").map(({ tick, command, client, subject }) =>
      [tick, command, client, subject]),
    expected.map(({ tick, kind, client, subject }) => [tick, kind, client, subject]));
  assert.ok(expected.length > 100);
  check(collected(open(file)).events);

  // A replay that differs ends at tick 30, but the later commands are listed too.
  const given = join(folder, "commands"), broken = join(folder, "commands.orrery");
  writeFileSync(given, orrery("log", "export", file));
  orrery("run", "playground", "--ticks", "620", "--commands", given, "--log", broken, "--break",
         "ulp@30:36.velocity.x");
  const found: LogEvent[] = [];
  const job = open(broken).collect(({ events }) => found.push(...events));
  assert.throws(() => { while (!job.next().done); }, /differs from its replay in tick 30/);
  check(found);
});

type Compared = [parting: Parting | null, ticks: number, unknown: string];

// Compares two logs. Returns the last result, and the error of the replays.
function compared(...files: string[]): [Compared, unknown] {
  let last: Compared | null = null;
  const passes = files.map((file) => open(file).collect(() => {}));
  const job = comparePasses(passes, (...found) => {
    assert.ok(!last?.[0]?.done);
    last = found;
  });
  try {
    while (!job.next().done);
  } catch (error) {
    return [last!, error];
  }
  return [last!, null];
}

test("two logs are compared while they are replayed", () => {
  const file = record("playground", 60), fork = join(folder, "fork.orrery");
  orrery("fork", file, "--at", "20", "--set", "gravity=0,-9,0", "-o", fork);
  const [[parting], none] = compared(file, fork);
  assert.deepEqual([none, parting!.done, parting!.tick, parting!.points.length],
                   [null, true, 21, 40]);
  assert.ok(parting!.first!.a !== parting!.first!.b && parting!.points.at(-1)!.distance > 0);
  assert.deepEqual(compared(file, file), [[null, 60, ""], null]);
  assert.deepEqual(compared(file, record("playground", 50)), [[null, 50, ""], null]);
});

test("a log that cannot be replayed ends the comparison, with the reason", () => {
  const file = record("playground", 61), broken = join(folder, "broken.orrery");
  orrery("run", "playground", "--ticks", "61", "--log", broken, "--break", "ulp@30:36.velocity.x");
  const [[parting, ticks, unknown], error] = compared(file, broken);
  assert.deepEqual([parting, ticks, unknown],
                   [null, 29, "b: the log differs from its replay in tick 30"]);
  assert.match((error as Error).message, /in tick 30$/);
  const old = compared(file, root("tests/golden/logs/rules-6-format-4.orrery"));
  assert.deepEqual(old, [[null, 0, "b: it was made with other rules of physics"], null]);
});
