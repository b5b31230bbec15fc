// Shows an opened log: any tick, played at any speed, verified, and broken on purpose.
import { brokenPasses, comparePasses, Ghost, type Fault, type Pass } from "./compare";
import { Code, CoreError, type Core } from "./core";
import { describeScene } from "./describe";
import { collect, collectCheckpoints } from "./history/history";
import { Track } from "./history/track";
import { Log, type LogInfo, type Verification } from "./log";
import type { Frame, HistoryPart, LogFacts, Memory, Parting, Pick, Scene, Side,
              Verified } from "./messages";
import { Values } from "./values";
import type { Hit, World } from "./world";

const STEP_MS_MAX = 12;  // of stepping in a frame
const REPORT_MS = 100;
const KEPT_BYTES_MAX = 64 << 20;  // of states

export class Recording {
  selected: number | null = null;
  readonly scene: Scene;
  private readonly log: Log;
  private readonly info: LogInfo;
  private readonly track = new Track();
  private readonly values = new Values();
  private hasGhost = false;  // at the shown tick
  private ghost: Ghost | null = null;  // of the world that was broken last
  private target: number;
  private dragging = false;
  private speed = 0;  // 1 is real time; a negative speed plays backward
  private at = 0;  // the moment of playback, in ticks
  private drawnAt = 0;  // when playback began or last advanced
  private stepMs = 0.1;  // cost of a tick
  private changed = true;
  private verified: Verified;
  private verifiedAt = -Infinity;  // when it was reported last
  private reportVerified: ((verified: Verified) => void) | null = null;  // if somebody asked

  // `fail` takes the error if a tick cannot be shown.
  constructor(private readonly core: Core, private readonly segments: Uint8Array[],
              readonly name: string, private readonly fail: (error: unknown) => void) {
    this.log = new Log(core, segments);
    this.info = this.log.info();
    this.target = 0;
    this.verified = { ticks: 0, last: this.info.last_tick, done: false, divergent: null,
                      fault: "" };
    this.log.keep(KEPT_BYTES_MAX);
    this.scene = describeScene(this.log.seek(0));
  }

  destroy(): void {
    this.log.destroy();
  }

  private get world(): World { return this.log.world!; }

  // The memory of poses and images.
  get memory(): Memory {
    return { bytes: this.log.info().kept_bytes + this.track.bytes,
             bytesMax: KEPT_BYTES_MAX + this.track.bytesMax };
  }

  // `second` is shown with this one, or null.
  facts(second: Recording | null): LogFacts {
    const { last_tick: last, tick_rate: tickRate } = this.info;
    return { name: this.name, second: second && second.name, last, tickRate, fault: this.fault(),
             otherRules: this.otherRules, inSi: this.scene.inSi };
  }

  private get otherRules(): boolean { return this.info.rules !== this.core.versions.rules; }

  // Returns the fault of the log, or an empty text. A sound log that is not closed yet has none.
  private fault(): string {
    const { damaged, lost_bytes: lost, fault } = this.log.info();
    return damaged || lost > 0 ? fault : "";
  }

  // Shows another tick. While somebody drags, the poses of an earlier tick may be shown.
  seek(tick: number, dragging: boolean): void {
    this.target = Math.min(Math.max(Math.round(tick), 0), this.info.last_tick);
    this.at = this.target;
    this.dragging = dragging;
    this.changed = true;
  }

  // Moves towards the tick that was asked for. If nobody drags or plays, it then collects images
  // around this tick. `show` is called when a frame takes no steps. An error is reported when the
  // tick is shown.
  *settle(show: () => void): Generator<void> {
    if (this.otherRules || this.speed !== 0) return;
    try {
      if (this.dragging && this.track.near(this.target)) show();
      while (!this.log.approach(this.target, 1)) yield;  // a tick of a large scene takes a frame
      if (this.dragging) return;
      show();
      while (this.speed === 0 && !this.log.prepare(1)) yield;
    } catch (error) {
      if (!(error instanceof CoreError)) throw error;
    }
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
    const totals = !changed ? null : sample ? sample.totals : this.world.totals();
    const ghost = changed && this.ghost ? this.ghost.at(tick) : null;
    if (changed) this.hasGhost = ghost !== null;
    const values = changed && exact ? this.values.read(this.world) : null;
    return { tick, rows, totals, exact, live: false, speed: this.speed, hash, second: null, values,
             ghost: this.hasGhost ? { rows: ghost } : null, memory: this.memory,
             selected: exact ? numbersOf(this.world, this.selected) : null };
  }

  // Shows the tick of another recording, or the last tick if there is none.
  follow({ tick, exact }: Frame): Side {
    const target = Math.min(tick, this.info.last_tick);
    if (target !== this.target || exact === this.dragging) this.seek(target, !exact);
    return this.frame();
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
      this.log.seek(this.target);
    } catch (error) {
      if (!(error instanceof CoreError)) throw error;
      this.fail(error);
      this.target = this.at = this.world.info().tick;
      this.speed = 0;
    }
    const steps = this.target - before;
    if (steps > 0) this.stepMs = (performance.now() - start) / steps;
  }

  pick(near: Pick, origin: number[], along: number[]): Pick {
    return pickIn(this.world, near, this.world.cast(origin, along));
  }

  // Replays the log once: collects the poses for scrubbing, the events, energy and momentum, and
  // compares every state. A log of other rules has only the sums of its checkpoints.
  *collect(report: (part: HistoryPart) => void): Pass {
    if (!this.otherRules) {
      return yield* collect(this.log, this.track, report, (found, ended) =>
        this.noteVerified(found, ended));
    }
    const log = new Log(this.core, this.segments);  // the world of the first one is shown
    try {
      yield* collectCheckpoints(log, report);
    } finally {
      log.destroy();
    }
  }

  // Reports are rare, because the page draws for each of them.
  private noteVerified(found: Verification, ended: boolean): void {
    this.verified = { ticks: found.verified, last: this.info.last_tick, done: ended,
                      divergent: found.diverged ? found.first_divergent_tick : null,
                      fault: ended ? this.fault() : "" };
    if (!this.reportVerified) return;
    if (!ended && performance.now() - this.verifiedAt < REPORT_MS) return;
    this.verifiedAt = performance.now();
    this.reportVerified(this.verified);
  }

  // Reports the progress of the comparison from now on.
  *verify(report: (verified: Verified) => void): Generator<void> {
    if (this.otherRules) this.log.verify(0, true);  // throws an error with the reason
    this.reportVerified = report;
    report(this.verified);
  }

  // Flips a bit at the present tick.
  *break(fault: Fault, report: (parting: Parting) => void): Generator<void> {
    this.speed = 0;
    this.step();
    const ghost = this.ghost = new Ghost(this.world.info().tick);
    const passes = brokenPasses(this.core, this.log, this.world, fault, ghost);
    for (const _ of comparePasses(passes, (parting) => report(parting!))) {
      this.changed = true;  // the ghost of the shown tick may be new
      yield;
    }
  }
}

// Returns what `read` does, or null if the body does not exist.
function found<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof CoreError && error.code === Code.NOT_FOUND) return null;
    throw error;
  }
}

// Returns the numbers of the selected body, or null.
export function numbersOf(world: World, body: number | null): Frame["selected"] {
  if (body === null) return null;
  return found(() => ({ id: body, numbers: world.state(body), rights: world.rights(body) }));
}

// Returns the exact hit of a ray, if there is one, or else the point that was found before.
export function pickIn(world: World, near: Pick, hit: Hit | null): Pick {
  const { body, point } = hit ? { body: hit.body, point: hit.position } : near;
  return { body, point, rights: found(() => world.rights(body)) };
}

export const hex = (hash: bigint): string => "0x" + hash.toString(16).padStart(16, "0");
