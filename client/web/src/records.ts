// The records of a log, in the order of their ticks: found at once by a tick.
import type { Core } from "./core";
import { Code } from "./core";
import { STRUCTS } from "./layout";
import type { Command } from "./world";

const { size: SIZE } = STRUCTS.command;

export type TickRecord = { tick: number, hash: bigint, commands: Command[] };

export class Records {
  private readonly ticks: number[] = [];
  private readonly hashes: bigint[] = [];
  private readonly ends: number[] = [];  // of the commands of each tick
  private bytes = new Uint8Array(1 << 12);  // the commands, as structs

  // Reads all records of a log.
  constructor(core: Core, log: number) {
    core.call("orrery_log_rewind", log);
    const record = core.structs(STRUCTS.record, [{}], "record");
    const reserve = (count: number) =>
      core.structs(STRUCTS.command, Array.from({ length: count }, () => ({})), "commands");
    let capacity = 64;
    let at = reserve(capacity);
    let end = 0;
    for (;;) {
      const code = core.run("orrery_log_next", log, record, at, capacity);
      const { tick, hash, commands } = STRUCTS.record.read(core.view, record);
      if (code === Code.SHORT_BUFFER && commands > capacity) {
        at = reserve(capacity = commands);
        continue;
      }
      if (core.check(log, code) === Code.END) return;
      this.append(core.bytes.subarray(at, at + commands * SIZE), end);
      this.ticks.push(tick);
      this.hashes.push(hash);
      this.ends.push(end += commands * SIZE);
    }
  }

  private append(commands: Uint8Array, at: number): void {
    if (at + commands.length > this.bytes.length) {
      const grown = new Uint8Array(2 * (at + commands.length));
      grown.set(this.bytes);
      this.bytes = grown;
    }
    this.bytes.set(commands, at);
  }

  // Yields each record after a tick.
  *after(tick: number): Generator<TickRecord> {
    let low = 0, high = this.ticks.length;
    while (low < high) {
      const middle = low + high >> 1;
      if (this.ticks[middle] <= tick) low = middle + 1;
      else high = middle;
    }
    for (let i = low; i < this.ticks.length; ++i) {
      yield { tick: this.ticks[i], hash: this.hashes[i], commands: this.commands(i) };
    }
  }

  private commands(index: number): Command[] {
    const view = new DataView(this.bytes.buffer);
    const commands: Command[] = [];
    for (let at = this.ends[index - 1] ?? 0; at < this.ends[index]; at += SIZE) {
      commands.push(STRUCTS.command.read(view, at));
    }
    return commands;
  }
}
