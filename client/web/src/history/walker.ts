// Moves a world to any tick of a log, from the nearest image or checkpoint before it.
import { CoreError, type Core } from "../core";
import type { Log } from "../log";
import { World } from "../world";
import type { Keyframes } from "./keyframes";

const CHECKPOINT_SECONDS = 10;  // from one checkpoint of a log to the next (schema/log.md 3.4)
const WORTH = 2;  // ticks that stepping may take instead of a restore
const CHECKPOINT_WORTH = 8;  // the same for a checkpoint, which must be read from the log

export class Walker {
  private readonly own: World | null;  // a log of other rules cannot be stepped
  private readonly spacing: number;    // of checkpoints, in ticks
  private exact = 0;  // the tick of the last state that equals the log
  private walks = 0;

  constructor(core: Core, private readonly log: Log, private readonly keyframes: Keyframes) {
    const { rules, tick_rate } = log.info();
    this.own = rules === core.versions.rules ? World.fromScene(core, log.scene()) : null;
    this.spacing = CHECKPOINT_SECONDS * tick_rate;
    this.goTo(0);
  }

  destroy(): void { this.own?.destroy(); }

  get world(): World { return this.own ?? this.log.world!; }

  // Moves to the state after a tick. If the log does not have it, or differs from its replay before
  // it, throws, and stays at the state that was reached.
  goTo(tick: number): World {
    for (const steps = this.walk(tick); !steps.next().done;);
    return this.world;
  }

  // Moves by one step at a time, and ends early if another walk begins meanwhile. Compares only the
  // last state with the log: hashes take time.
  *walk(tick: number): Generator<void> {
    const { own } = this;
    if (!own) return void this.log.seek(tick);
    const walk = ++this.walks;
    this.takeNearest(own, tick);
    let reached = own.info().tick;
    if (reached === tick && this.exact === tick) return;
    const isNear = reached < tick && reached >= tick - this.spacing;
    for (const record of isNear ? this.log.recordsAfter(reached) : []) {
      if (record.tick !== reached + 1) break;  // the log lost ticks
      own.step(record.commands);
      reached = record.tick;
      if (reached === tick) {
        if (own.info().hash !== record.hash) break;
        this.exact = tick;
        return;
      }
      yield;
      if (walk !== this.walks) return;
    }
    this.jump(own, tick);
  }

  // Takes the nearest state up to a tick, if it is not the present one: an image or a checkpoint.
  private takeNearest(own: World, tick: number): void {
    const now = own.info().tick;
    const present = now <= tick ? now : -Infinity;
    const image = this.keyframes.before(tick) ?? -Infinity;
    const checkpoint = tick - tick % this.spacing;
    if (checkpoint > Math.max(present, image) + CHECKPOINT_WORTH) {
      try {
        this.jump(own, checkpoint);
      } catch (error) {
        if (!(error instanceof CoreError)) throw error;  // the log lost the checkpoint
      }
    } else if (image > present + WORTH) {
      own.restore(this.keyframes.image(image)!);
      this.exact = image;
    }
  }

  // Takes the state that the log finds.
  private jump(own: World, tick: number): void {
    try {
      this.log.seek(tick);
    } finally {
      if (this.log.world) own.restore(this.log.world.save());
      this.exact = own.info().tick;
    }
  }
}
