// Compares two worlds, and the states of two logs from their first difference on.
import type { Parting } from "./messages";
import { World } from "./world";

const TICKS = 600;  // after the first difference

// A replay of a log. Yields its world in tick 0 and after each tick, or null without a state.
export type Pass = Generator<World | null, void>;

// Returns the first number that differs after a tick, or null if no body of both worlds differs.
// Also returns how far the worlds are apart.
export function partingOf(tick: number, a: World, b: World):
    [Parting["first"], Parting["points"][0]] {
  const { bodies, distance, ...first } = a.compare(b);
  return [first.field === "" ? null : first, { tick, distance, bodies }];
}

// Runs the replays of two logs side by side, and compares their states. `report` gets the first
// difference, and the ticks after it. If no state differs, it gets null, the number of equal ticks,
// and why the next one could not be compared. Throws the first error of a replay when both ended.
export function* comparePasses(passes: Pass[], report: (parting: Parting | null, ticks: number,
                                                        unknown: string) => void): Generator<void> {
  const errors: unknown[] = [];
  const advance = (pass: Pass, i: number): World | string | null => {
    try {
      const { done, value } = pass.next();
      return done ? null : value ?? `${"ab"[i]}: it was made with other rules of physics`;
    } catch (error) {
      errors.push(error);
      return `${"ab"[i]}: ${(error as Error).message}`;
    }
  };
  let parting: Parting | null = null;
  let unknown = "", equal = 0;
  for (; !parting?.done; yield) {
    const [a, b] = passes.map(advance);
    if (!(a instanceof World && b instanceof World)) {
      unknown = [a, b].find((end) => typeof end === "string") ?? "";
      break;
    }
    const { tick, hash } = a.info(), other = b.info();
    if (tick !== other.tick) {
      unknown = `${tick > other.tick ? "a" : "b"}: the log has no tick ${equal + 1}`;
      break;
    }
    if (!parting && hash === other.hash) {
      equal = tick;
      continue;
    }
    const [first, point] = partingOf(tick, a, b);
    parting ??= { tick, first, points: [], done: false };
    parting.points.push(point);
    parting.done = parting.points.length > TICKS;
    if (parting.points.length % 20 === 0) report(parting, equal, "");
  }
  report(parting && { ...parting, done: true }, equal, unknown);
  for (const [i, pass] of passes.entries()) while (advance(pass, i) !== null) yield;
  if (errors.length > 0) throw errors[0];
}
