// Breaks a session on purpose: flips one bit of one body, and steps both worlds side by side.
import { Image, FIELDS } from "./image";
import type { Log } from "./log";
import type { Broken } from "./messages";
import { World } from "./world";
import type { Core } from "./core";

const TICKS = 600;
const STATE_NUMBERS = 13;

export type Fault = { body: number, field: string, bit: number };

// Returns the largest distance of a body between two worlds, and how many bodies differ.
function compare(a: Float64Array, b: Float64Array): { distance: number, bodies: number } {
  let distance = 0;
  let bodies = 0;
  for (let at = 0; at < Math.min(a.length, b.length); at += STATE_NUMBERS) {
    let differs = false;
    for (let i = at; i < at + STATE_NUMBERS; ++i) differs ||= a[i] !== b[i];
    if (!differs) continue;
    ++bodies;
    distance = Math.max(distance,
                        Math.hypot(a[at] - b[at], a[at + 1] - b[at + 1], a[at + 2] - b[at + 2]));
  }
  return { distance, bodies };
}

// Yields the progress. Makes two copies of `world`, a state of the log, and changes one of them.
// Both step the records that follow. After the end of the log they continue without commands.
export function* breakSession(core: Core, log: Log, world: World, fault: Fault): Generator<Broken> {
  const tick = world.info().tick;
  const scene = log.scene();
  const image = world.save();
  const sound = World.fromScene(core, scene);
  const broken = World.fromScene(core, scene);
  try {
    sound.restore(image);
    broken.restore(new Image(image).flipped(fault.body, fault.field, fault.bit).bytes);
    const found = describe(sound, broken);
    const points = [{ tick, ...compare(sound.states(), broken.states()) }];
    const records = log.recordsAfter(tick);
    for (let n = 1; n <= TICKS; ++n) {
      const commands = records.next().value?.commands ?? [];
      sound.step(commands);
      broken.step(commands);
      points.push({ tick: tick + n, ...compare(sound.states(), broken.states()) });
      yield { tick, ...found, points, done: n === TICKS };
    }
  } finally {
    sound.destroy();
    broken.destroy();
  }
}

// Names the first field that differs between two worlds. Compares only the fields in FIELDS.
function describe(sound: World, broken: World): Omit<Broken, "tick" | "points" | "done"> {
  const [a, b] = [new Image(sound.save()), new Image(broken.save())];
  const at = a.difference(b);
  if (!at) throw new Error("the changed world equals the other: the bit has no effect");
  const body = sound.ids().find((id) => (id & 0xfffff) === at.slot) ?? at.slot;
  return { body, field: FIELDS[at.field], before: a.number(at.slot, at.field),
           after: b.number(at.slot, at.field) };
}
