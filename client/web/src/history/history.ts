// Steps a log once from its start, and collects poses, images, hits and sums on the way.
import { Code, CoreError, type Core } from "../core";
import type { Log } from "../log";
import type { HistoryPart, Point, Totals } from "../messages";
import { World } from "../world";
import type { Keyframes } from "./keyframes";
import type { Ledger } from "./totals";
import type { Track } from "./track";

const REPORT_MS = 250;
const HITS_MAX = 20_000;  // of a log; more would fill the list and the memory of the page

// Yields the world at each tick of a log. It steps the commands of the records, because a world
// that was restored from a checkpoint knows no hits. After a gap it continues at the next
// checkpoint. Throws if the log differs from its replay.
function* statesOf(core: Core, log: Log): Generator<World> {
  const world = World.fromScene(core, log.scene());
  try {
    yield world;
    for (const { tick, hash, commands } of log.recordsAfter(0)) {
      if (world.info().tick + 1 === tick) world.step(commands);
      const reached = world.info();
      if (reached.tick !== tick || reached.hash !== hash) world.restore(log.seek(tick).save());
      yield world;
    }
  } finally {
    world.destroy();
  }
}

const nothing = (): HistoryPart => ({ hits: [], points: [], hitsEnd: null, done: false });

function pointOf(tick: number, { energy, momentum }: Totals): Point {
  return { tick, energy, momentum: Math.hypot(...momentum) };
}

// Yields after each tick. `report` gets each part that was collected.
export function* collect(core: Core, log: Log, ledger: Ledger, track: Track,
                         keyframes: Keyframes, report: (part: HistoryPart) => void):
    Generator<void> {
  let part = nothing(), hits = 0, sent = 0;
  try {
    for (const world of statesOf(core, log)) {
      const { tick } = world.info();
      if (track.wants(tick)) {
        const totals = ledger.totals(world);
        track.add(tick, world.rows(), totals);
        part.points.push(pointOf(tick, totals));
      }
      if (keyframes.wants(tick)) keyframes.add(tick, world.save());
      for (const { a, b, speed } of world.hits()) {
        if (++hits <= HITS_MAX) part.hits.push({ kind: "hit", tick, a, b, speed });
        else if (hits === HITS_MAX + 1) part.hitsEnd = tick;
      }
      if (performance.now() - sent > REPORT_MS) {
        report(part);
        part = nothing();
        sent = performance.now();
      }
      yield;
    }
    report({ ...part, done: true });
  } catch (error) {
    report({ ...part, done: true });
    throw error;
  }
}

// Collects energy and momentum at the checkpoints of a log of other rules: it has no other states
// that this page can read.
export function* collectCheckpoints(log: Log, ledger: Ledger,
                                    report: (part: HistoryPart) => void): Generator<void> {
  const part = nothing();
  const last = log.info().last_tick;
  for (let tick = 0; tick <= last; ++tick, yield) {
    try {
      part.points.push(pointOf(tick, ledger.totals(log.seek(tick))));
    } catch (error) {
      if (!(error instanceof CoreError && error.code === Code.OTHER_RULES)) throw error;
    }
  }
  report({ ...part, done: true });
}
