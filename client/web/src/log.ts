// A session log in the module: facts, records, any state, and its verification.
import { Code, Core } from "./core";
import { STRUCTS, type Of } from "./layout";
import { World, type Command } from "./world";

export type LogInfo = Of<typeof STRUCTS.log_info>;
export type Verification = Of<typeof STRUCTS.verification>;
export type TickRecord = { tick: number, hash: bigint, commands: Command[] };

export class Log {
  private readonly handle: number;
  world: World | null = null;  // of the last seek(), also if it threw

  // `segments` are the bytes of the files of the log, in order. A missing file is empty.
  constructor(private readonly core: Core, segments: Uint8Array[]) {
    const places = segments.map((bytes, i) => core.place(`segment ${i}`, bytes));
    const starts = core.slot("starts", 4 * segments.length);
    const sizes = core.slot("sizes", 8 * segments.length);
    segments.forEach((bytes, i) => {
      core.view.setUint32(starts + 4 * i, places[i], true);
      core.view.setBigUint64(sizes + 8 * i, BigInt(bytes.length), true);
    });
    try {
      this.handle = core.make("orrery_log_from_segments", starts, sizes, segments.length);
    } finally {
      segments.forEach((_, i) => core.drop(`segment ${i}`));
    }
  }

  destroy(): void { this.core.run("orrery_log_destroy", this.handle); }

  info(): LogInfo {
    return this.core.get(STRUCTS.log_info, "orrery_get_log_info", this.handle);
  }

  // Returns the binary form of the scene.
  scene(): Uint8Array {
    const size = this.info().scene_bytes;
    const at = this.core.slot("scene", size);
    this.core.call("orrery_log_scene", this.handle, at, BigInt(size));
    return this.core.bytes.slice(at, at + size);
  }

  // Moves the log's world to the state after a tick, and returns it. After an error, the world may
  // have the state of another tick.
  seek(tick: number): World {
    this.approach(tick, 0);
    return this.world!;
  }

  // Moves the log's world towards a tick. Steps at most `ticks` ticks, if that is not 0. Returns
  // true if it has arrived.
  approach(tick: number, ticks: number): boolean {
    const out = this.core.slot("world", 4);
    const code = this.core.run("orrery_log_seek", this.handle, BigInt(tick), ticks, out);
    const world = this.core.view.getUint32(out, true);
    if (world !== 0) this.world = new World(this.core, world);
    return this.core.check(this.handle, code) !== Code.MORE;
  }

  // Keeps states in up to this many bytes. verify() and prepare() collect them.
  keep(bytes: number): void { this.core.call("orrery_log_keep", this.handle, BigInt(bytes)); }

  // Keeps states near the tick that was sought last. Steps some ticks. Returns true when enough
  // states are kept.
  prepare(ticks: number): boolean {
    return this.core.call("orrery_log_prepare", this.handle, ticks) === Code.END;
  }

  // Verifies some ticks. Returns the progress, the world that replays, and true at the end.
  verify(ticks: number, restart: boolean): [Verification, World, boolean] {
    const at = this.core.struct(STRUCTS.verification);
    const out = this.core.slot("world", 4);
    const code = this.core.call("orrery_log_verify", this.handle, ticks, restart ? 1 : 0, at, out);
    const world = new World(this.core, this.core.view.getUint32(out, true));
    return [STRUCTS.verification.read(this.core.view, at), world, code === Code.END];
  }

  // Yields each tick after `tick`, with its commands and the hash of its state, in order. It ends
  // any other reading of records.
  *recordsAfter(tick: number): Generator<TickRecord> {
    const { core, handle } = this;
    core.call("orrery_log_rewind", handle);
    for (;;) {
      const at = core.structs(STRUCTS.record, [{}], "record");
      const code = core.run("orrery_log_next", handle, at, at, 0);  // no room for commands
      if (code !== Code.SHORT_BUFFER && core.check(handle, code) === Code.END) return;
      const record = STRUCTS.record.read(core.view, at);
      const commands = core.list(STRUCTS.command, "orrery_log_next", handle, record.commands, at);
      if (record.tick > tick) yield { ...record, commands };
    }
  }
}
