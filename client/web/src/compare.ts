// Compares two replays tick by tick: of two logs, or of a session and a copy that was broken.
import type { Core } from "./core";
import type { Log } from "./log";
import type { Parting } from "./messages";
import { World } from "./world";

const TICKS = 600;  // after the first difference

const GHOST_BYTES_MAX = 64 << 20;

export type Fault = { body: number, field: string, bit: number };

// A replay. Yields its world at the start and after each tick, or null without a state.
export type Pass = Generator<World | null, void>;

// Runs two replays side by side, and compares their states. `report` gets the first difference, and
// the ticks after it. If no state differs, it gets null, the number of equal ticks, and why the
// next one could not be compared. Throws the first error of a replay when both ended.
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
  try {
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
      const { bodies, distance, ...first } = a.compare(b);
      parting ??= { tick, first: first.field === "" ? null : first, points: [], done: false };
      parting.points.push({ tick, distance, bodies });
      parting.done = parting.points.length > TICKS;
      if (parting.points.length % 20 === 0) report(parting, equal, "");
    }
    report(parting && { ...parting, done: true }, equal, unknown);
    for (const [i, pass] of passes.entries()) while (advance(pass, i) !== null) yield;
    if (errors.length > 0) throw errors[0];
  } finally {
    for (const pass of passes) pass.return();
  }
}

// The poses of the broken world, from the tick of the fault on, as long as memory suffices.
export class Ghost {
  private readonly rows: ArrayBuffer[] = [];
  private bytes = 0;

  constructor(private readonly first: number) {}

  add(rows: ArrayBuffer): void {
    this.bytes += rows.byteLength;
    if (this.bytes <= GHOST_BYTES_MAX) this.rows.push(rows);
  }

  // Returns a copy of the poses after a tick, or null.
  at(tick: number): ArrayBuffer | null { return this.rows[tick - this.first]?.slice(0) ?? null; }
}

// Returns two replays from `world` on, a state of the log. A bit of the second one is flipped, and
// `ghost` takes its poses. Both step the records that follow. After the end of the log they
// continue without commands.
export function brokenPasses(core: Core, log: Log, world: World, fault: Fault,
                             ghost: Ghost): Pass[] {
  const image = world.save(), scene = log.scene();
  const records = log.recordsAfter(world.info().tick);
  const commands = Array.from({ length: TICKS }, () => records.next().value?.commands ?? []);
  function* pass(isBroken: boolean): Pass {
    const copy = World.fromScene(core, scene);
    try {
      copy.restore(image);
      if (isBroken) copy.flipBit(fault.body, fault.field, fault.bit);
      for (const given of [null, ...commands]) {
        if (given) copy.step(given);
        if (isBroken) ghost.add(copy.rows());
        yield copy;
      }
    } finally {
      copy.destroy();
    }
  }
  return [pass(false), pass(true)];
}
