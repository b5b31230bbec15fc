// Breaks a session on purpose: flips one bit of one body, and steps both worlds side by side.
import type { Core } from "./core";
import type { Log } from "./log";
import type { Parting } from "./messages";
import { partingOf } from "./parting";
import { World } from "./world";

const TICKS = 600;

const GHOST_BYTES_MAX = 64 << 20;

export type Fault = { body: number, field: string, bit: number };

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

// Yields the progress. Makes two copies of `world`, a state of the log, and changes one of them.
// Both step the records that follow. After the end of the log they continue without commands.
// `ghost` takes the poses of the changed one.
export function* breakSession(core: Core, log: Log, world: World, fault: Fault,
                              ghost: Ghost): Generator<Parting> {
  const tick = world.info().tick;
  const scene = log.scene();
  const image = world.save();
  const sound = World.fromScene(core, scene);
  const broken = World.fromScene(core, scene);
  try {
    sound.restore(image);
    broken.restore(image);
    broken.flipBit(fault.body, fault.field, fault.bit);
    const [first, start] = partingOf(tick, sound, broken);
    const points = [start];
    ghost.add(broken.rows());
    const records = log.recordsAfter(tick);
    for (let n = 1; n <= TICKS; ++n) {
      const commands = records.next().value?.commands ?? [];
      sound.step(commands);
      broken.step(commands);
      points.push(partingOf(tick + n, sound, broken)[1]);
      ghost.add(broken.rows());
      yield { tick, first, points, done: n === TICKS };
    }
  } finally {
    sound.destroy();
    broken.destroy();
  }
}
