// Shows an opened log: any tick, played at any speed, verified, and broken on purpose.
import { breakSession, type Fault } from "./break";
import { Code, CoreError, type Core } from "./core";
import { describeScene } from "./describe";
import { Log, type LogInfo, type Verification } from "./log";
import type { Broken, Frame, LogFacts, MarkKind, Pick, Scene, Verified } from "./messages";
import { Track } from "./track";
import { World } from "./world";

const STEP_MS_MAX = 12;  // of stepping in a frame
const VERIFY_TICKS = 20;  // in a slice

export class Recording {
  selected: number | null = null;
  private readonly log: Log;
  private readonly spare: Log;  // the same log, for the jobs
  private readonly info: LogInfo;
  private readonly track = new Track();
  private world: World;
  private target: number;
  private dragging = false;
  private speed = 0;  // 1 is real time; a negative speed plays backward
  private at = 0;  // the moment of playback, in ticks
  private drawnAt = 0;  // when playback began or last advanced
  private stepMs = 0.1;  // cost of a tick
  private changed = true;

  // `fail` takes the error if a tick cannot be shown.
  constructor(private readonly core: Core, bytes: Uint8Array, private readonly name: string,
              private readonly fail: (error: unknown) => void) {
    this.log = new Log(core, bytes);
    this.info = this.log.info();
    this.spare = new Log(core, bytes);
    this.target = 0;
    this.world = this.log.seek(0);
  }

  destroy(): void {
    this.log.destroy();
    this.spare.destroy();
  }

  scene(): Scene {
    const world = World.fromScene(this.core, this.log.scene());
    try {
      return describeScene(world);
    } finally {
      world.destroy();
    }
  }

  facts(): LogFacts {
    const { last_tick: last, tick_rate: tickRate } = this.info;
    return { name: this.name, last, tickRate, fault: this.fault(),
             marks: this.marks(), otherRules: this.otherRules };
  }

  private get otherRules(): boolean { return this.info.rules !== this.core.versions.rules; }

  // Returns the fault of the log, or an empty text. A sound log that is not closed yet has none.
  private fault(): string {
    const { damaged, lost_bytes: lost, fault } = this.log.info();
    return damaged || lost > 0 ? fault : "";
  }

  private marks(): LogFacts["marks"] {
    const marks: LogFacts["marks"] = [];
    for (const { tick, commands } of this.log.recordsAfter(0)) {
      const kinds = new Set(commands.map((command) => markOf(command.kind)));
      for (const kind of kinds) marks.push({ tick, kind });
    }
    return marks;
  }

  // Shows another tick. While somebody drags, the poses of an earlier tick may be shown.
  seek(tick: number, dragging: boolean): void {
    this.target = Math.min(Math.max(Math.round(tick), 0), this.info.last_tick);
    this.at = this.target;
    this.dragging = dragging;
    this.changed = true;
  }

  play(speed: number): void {
    if (speed > 0 && this.target === this.info.last_tick) this.seek(0, false);
    this.speed = speed;
    this.at = this.target;
    this.drawnAt = performance.now();
    this.dragging = false;
    this.changed = true;
  }

  frame(): Frame {
    if (this.speed !== 0) this.advance();
    const sample = this.dragging || this.speed < 0 ? this.track.near(this.target) : null;
    const changed = this.changed;
    if (changed && !sample) this.step();
    this.changed = false;
    const exact = !sample;
    const tick = sample ? sample.tick : this.target;
    const hash = exact ? hex(this.world.info().hash) : "";
    const rows = !changed ? null : sample ? sample.rows : this.world.rows();
    return { tick, rows, exact, live: false, speed: this.speed, hash,
             selected: exact ? numbersOf(this.world, this.selected) : null };
  }

  // Moves the target as far as the time since the last frame, and as the machine can step.
  private advance(): void {
    const now = performance.now();
    const ticks = (now - this.drawnAt) / 1000 * this.info.tick_rate * this.speed;
    const most = Math.max(1, STEP_MS_MAX / this.stepMs);
    this.drawnAt = now;
    this.at += this.speed > 0 ? Math.min(ticks, most) : ticks;
    const tick = Math.min(Math.max(Math.floor(this.at), 0), this.info.last_tick);
    this.changed ||= tick !== this.target;
    this.target = tick;
    const end = this.speed > 0 ? this.info.last_tick : 0;
    if (tick === end) this.speed = 0;
  }

  // Moves the world to the target. If the log does not have this tick, or diverges before it, the
  // world stays at the state that was reached.
  private step(): void {
    const before = this.world.info().tick;
    const start = performance.now();
    try {
      this.world = this.log.seek(this.target);
    } catch (error) {
      if (!(error instanceof CoreError)) throw error;
      this.fail(error);
      this.target = this.at = this.world.info().tick;
      this.speed = 0;
    }
    const steps = this.target - before;
    if (steps > 0) this.stepMs = (performance.now() - start) / steps;
  }

  pick(origin: number[], along: number[]): Pick | null {
    const hit = this.world.cast(origin, along);
    return hit && { body: hit.body, point: hit.position };
  }

  // Collects the poses for scrubbing. A log of other rules has too few states.
  collect(): Iterator<void> {
    const last = this.otherRules ? -1 : this.info.last_tick;
    return this.track.collect(this.spare, last);
  }

  // Compares every state with the log.
  *verify(report: (verified: Verified) => void): Generator<void> {
    for (let restart = true, ended = false; !ended; restart = false) {
      let found: Verification;
      [found, ended] = this.log.verify(VERIFY_TICKS, restart);
      report({ ticks: found.verified, last: this.info.last_tick, done: ended,
               divergent: found.diverged ? found.first_divergent_tick : null,
               fault: ended ? this.fault() : "" });
      yield;
    }
  }

  // Flips a bit at the present tick.
  *break(fault: Fault, report: (broken: Broken) => void): Generator<void> {
    this.speed = 0;
    this.step();
    for (const broken of breakSession(this.core, this.spare, this.world, fault)) {
      if (broken.done || broken.points.length % 20 === 0) report(broken);
      yield;
    }
  }
}

// Returns the numbers of the selected body, or null.
export function numbersOf(world: World, body: number | null): Frame["selected"] {
  if (body === null) return null;
  try {
    return { id: body, numbers: world.state(body) };
  } catch (error) {
    if (error instanceof CoreError && error.code === Code.NOT_FOUND) return null;
    throw error;
  }
}

export const hex = (hash: bigint): string => "0x" + hash.toString(16).padStart(16, "0");

function markOf(kind: number): MarkKind {
  if (kind >= 9) return "join";
  return kind >= 3 && kind <= 5 ? "grab" : "other";
}
