// Breaks a session on purpose: flips one bit of one body, and steps both worlds side by side.
import type { Core } from "./core";
import { Image } from "./image";
import type { Log } from "./log";
import type { Parting } from "./messages";
import { distanceOf, firstDifference } from "./parting";
import { World } from "./world";

const TICKS = 600;

export type Fault = { body: number, field: string, bit: number };

// Yields the progress. Makes two copies of `world`, a state of the log, and changes one of them.
// Both step the records that follow. After the end of the log they continue without commands.
export function* breakSession(core: Core, log: Log, world: World,
                              fault: Fault): Generator<Parting> {
  const tick = world.info().tick;
  const scene = log.scene();
  const image = world.save();
  const sound = World.fromScene(core, scene);
  const broken = World.fromScene(core, scene);
  try {
    sound.restore(image);
    broken.restore(new Image(image).flipped(fault.body, fault.field, fault.bit).bytes);
    const first = firstDifference(sound, broken);
    if (!first) throw new Error("the changed world equals the other: the bit has no effect");
    const points = [{ tick, ...distanceOf(sound, broken) }];
    const records = log.recordsAfter(tick);
    for (let n = 1; n <= TICKS; ++n) {
      const commands = records.next().value?.commands ?? [];
      sound.step(commands);
      broken.step(commands);
      points.push({ tick: tick + n, ...distanceOf(sound, broken) });
      yield { tick, first, points, done: n === TICKS };
    }
  } finally {
    sound.destroy();
    broken.destroy();
  }
}
