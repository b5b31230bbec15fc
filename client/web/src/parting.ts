// Compares two worlds, and the states of two logs from their first difference on.
import { CoreError } from "./core";
import { FIELDS, Image } from "./image";
import type { Log } from "./log";
import type { Parting } from "./messages";
import type { World } from "./world";

const TICKS = 600;  // after the first difference
const NUMBERS = 13;  // of a body in World.states()

// Returns the largest distance of a body between two worlds, and how many bodies differ. A body
// that only one world has differs, at no distance.
export function distanceOf(a: World, b: World): { distance: number, bodies: number } {
  const [x, y] = [a.states(), b.states()];
  const places = new Map([...b.ids()].map((id, i) => [id, i * NUMBERS]));
  let distance = 0;
  let bodies = 0;
  a.ids().forEach((id, i) => {
    const from = i * NUMBERS;
    const to = places.get(id);
    places.delete(id);
    let differs = to === undefined;
    for (let n = 0; n < NUMBERS && !differs; ++n) differs = x[from + n] !== y[to! + n];
    if (!differs) return;
    ++bodies;
    if (to === undefined) return;
    distance = Math.max(distance, Math.hypot(x[from] - y[to], x[from + 1] - y[to + 1],
                                             x[from + 2] - y[to + 2]));
  });
  return { distance, bodies: bodies + places.size };
}

// Names the first number that differs, or returns null if there is none, or if the worlds have
// other bodies. It looks at positions, velocities and orientations only.
export function firstDifference(a: World, b: World): Parting["first"] {
  const [x, y] = [new Image(a.save()), new Image(b.save())];
  const at = x.difference(y);
  if (!at) return null;
  const body = a.ids().find((id) => (id & 0xfffff) === at.slot) ?? at.slot;
  return { body, field: FIELDS[at.field], a: x.number(at.slot, at.field),
           b: y.number(at.slot, at.field) };
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
    if (!parting && x.info().hash !== y.info().hash) {
      parting = { tick, first: firstDifference(x, y), points: [], done: false };
    }
    if (parting) {
      parting.points.push({ tick, ...distanceOf(x, y) });
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
