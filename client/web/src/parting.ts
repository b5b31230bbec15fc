// Compares two worlds, and the states of two logs from their first difference on.
import { CoreError } from "./core";
import type { Log } from "./log";
import type { Parting } from "./messages";
import type { World } from "./world";

const TICKS = 600;  // after the first difference

// Returns the first number that differs after a tick, or null if no body of both worlds differs.
// Also returns how far the worlds are apart.
export function partingOf(tick: number, a: World, b: World):
    [Parting["first"], Parting["points"][0]] {
  const { bodies, distance, ...first } = a.compare(b);
  return [first.field === "" ? null : first, { tick, distance, bodies }];
}

// Compares the states of two logs, up to the end of the shorter one. Yields null after each tick
// without a difference. A log that differs from its own replay has no states from there on: then it
// ends, and returns which log that is and the reason. Otherwise it returns an empty text.
export function* compareLogs(a: Log, b: Log): Generator<Parting | null, string> {
  const last = Math.min(a.info().last_tick, b.info().last_tick);
  let parting: Parting | null = null;
  let unknown = "";
  for (let tick = 0; tick <= last && !parting?.done; ++tick) {
    const [x, y] = [reach(a, tick), reach(b, tick)];
    if (typeof x === "string" || typeof y === "string") {
      unknown = typeof x === "string" ? `a: ${x}` : `b: ${y}`;
      break;
    }
    if (parting || x.info().hash !== y.info().hash) {
      const [first, point] = partingOf(tick, x, y);
      parting ??= { tick, first, points: [], done: false };
      parting.points.push(point);
      parting.done = tick === last || parting.points.length > TICKS;
    }
    yield parting;
  }
  if (parting && !parting.done) yield { ...parting, done: true };
  return unknown;
}

// Returns the state of a log after a tick, or why it is unknown.
function reach(log: Log, tick: number): World | string {
  try {
    return log.seek(tick);
  } catch (error) {
    if (!(error instanceof CoreError)) throw error;
    return error.message;
  }
}
