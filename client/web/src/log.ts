// A session log in the module: facts, records, any state, and its verification.
import { Code, Core } from "./core";
import { STRUCTS, type Of } from "./layout";
import { Records, type TickRecord } from "./records";
import { World } from "./world";

export type LogInfo = Of<typeof STRUCTS.log_info>;
export type Verification = Of<typeof STRUCTS.verification>;

export class Log {
  private readonly handle: number;
  world: World | null = null;  // of the last seek(), also if it threw
  private records: Records | null = null;  // read when they are first needed

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
    const at = this.core.struct(STRUCTS.log_info);
    this.core.call("orrery_get_log_info", this.handle, at);
    return STRUCTS.log_info.read(this.core.view, at);
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
    const out = this.core.slot("world", 4);
    const code = this.core.run("orrery_log_seek", this.handle, BigInt(tick), out);
    const handle = this.core.view.getUint32(out, true);
    if (handle !== 0 && this.world?.handle !== handle) this.world = new World(this.core, handle);
    this.core.check(this.handle, code);
    return this.world!;
  }

  // Verifies some ticks. Returns the progress, and true at the end.
  verify(ticks: number, restart: boolean): [Verification, boolean] {
    const at = this.core.struct(STRUCTS.verification);
    const code = this.core.call("orrery_log_verify", this.handle, ticks, restart ? 1 : 0, at);
    return [STRUCTS.verification.read(this.core.view, at), code === Code.END];
  }

  // Yields each tick after `tick`, with its commands and the hash of its state, in order.
  recordsAfter(tick: number): Generator<TickRecord> {
    this.records ??= new Records(this.core, this.handle);
    return this.records.after(tick);
  }
}
