// Replays a log once from its start. Collects poses, events and sums on the way, and verifies it.
import type { Pass } from "../compare";
import { Code, CoreError } from "../core";
import { decodeText } from "../layout";
import type { Log, Verification } from "../log";
import type { HistoryPart, LogEvent, Point } from "../messages";
import { CommandKind, type Command, type Totals } from "../world";
import type { Track } from "./track";

const REPORT_MS = 250;
const HITS_MAX = 20_000;  // of a log; more would fill the list and the memory of the page

const nothing = (): HistoryPart => ({ events: [], points: [], hitsEnd: null, done: false });

// Returns the commands of a tick, but new targets of grabs.
function eventsOf(tick: number, commands: Command[]): LogEvent[] {
  return commands.filter(({ kind }) => kind !== CommandKind.MOVE)
    .map(({ kind: command, client, subject, role, account, ...c }) => {
      const joins = command === CommandKind.JOIN || command === CommandKind.LEAVE;
      const key = decodeText(c.key.subarray(0, c.key_size));
      const text = decodeText(c.bytes.subarray(0, c.bytes_size));
      return { kind: joins ? "join" : "command", tick, command, client, subject, role, account,
               key, text };
    });
}

// Returns the commands of the records after a tick.
const recordedEvents = (log: Log, after: number): LogEvent[] =>
  [...log.recordsAfter(after)].flatMap(({ tick, commands }) => eventsOf(tick, commands));

function pointOf(tick: number, { energy, momentum }: Totals): Point {
  return { tick, energy, momentum: Math.hypot(...momentum) };
}

// `report` gets each part that was collected, and `verified` the progress of the comparison with
// the log. Throws if the log differs from its replay.
export function* collect(log: Log, track: Track, report: (part: HistoryPart) => void,
                         verified: (found: Verification, ended: boolean) => void): Pass {
  let part = nothing(), hits = 0, sent = 0;
  for (let ticks = 0;; ticks = 1) {
    const [found, world, ended] = log.verify(ticks, ticks === 0);
    verified(found, ended);
    if (ended) {
      const rest = found.diverged ? recordedEvents(log, found.first_divergent_tick - 1) : [];
      report({ ...part, events: part.events.concat(rest), done: true });
      if (!found.diverged) return;
      throw new Error(`the log differs from its replay in tick ${found.first_divergent_tick}`);
    }
    const { tick, events, applied } = world.info();
    if (track.wants(tick)) {
      const totals = world.totals();
      track.add(tick, world.rows(), totals);
      part.points.push(pointOf(tick, totals));
    }
    part.events.push(...eventsOf(tick, world.applied(applied)));
    for (const { a, b, speed } of world.hits(events)) {
      if (++hits <= HITS_MAX) part.events.push({ kind: "hit", tick, a, b, speed });
      else if (hits === HITS_MAX + 1) part.hitsEnd = tick;
    }
    if (performance.now() - sent > REPORT_MS) {
      report(part);
      part = nothing();
      sent = performance.now();
    }
    yield world;
  }
}

// Collects the commands of a log of other rules, and energy and momentum at its checkpoints: it has
// no other states that this page can read.
export function* collectCheckpoints(log: Log, report: (part: HistoryPart) => void): Pass {
  const part = { ...nothing(), events: recordedEvents(log, 0) };
  const last = log.info().last_tick;
  for (let tick = 0; tick <= last; ++tick, yield null) {
    try {
      part.points.push(pointOf(tick, log.seek(tick).totals()));
    } catch (error) {
      if (!(error instanceof CoreError && error.code === Code.OTHER_RULES)) throw error;
    }
  }
  report({ ...part, done: true });
}
