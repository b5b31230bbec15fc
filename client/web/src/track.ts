// Keeps the poses of a whole log at every few ticks, to draw them at once while somebody scrubs.
import type { Log } from "./log";

const BYTES_MAX = 128 << 20;
const SPACING = 4;  // ticks

export class Track {
  private samples: ArrayBuffer[] = [];
  private spacing = SPACING;
  private bytes = 0;

  // Collects the poses. It yields after each sample. When the memory is full, it keeps every other
  // sample.
  *collect(log: Log, last: number): Generator<void> {
    for (let tick = 0; tick <= last; tick = this.samples.length * this.spacing) {
      const rows = log.seek(tick).rows();
      this.samples.push(rows);
      this.bytes += rows.byteLength;
      if (this.bytes > BYTES_MAX) this.thin();
      yield;
    }
  }

  private thin(): void {
    this.samples = this.samples.filter((_, i) => i % 2 === 0);
    this.spacing *= 2;
    this.bytes = this.samples.reduce((sum, rows) => sum + rows.byteLength, 0);
  }

  // Returns the sample at or before a tick, or null if there is none yet.
  near(tick: number): { tick: number, rows: ArrayBuffer } | null {
    const index = Math.floor(tick / this.spacing);
    const rows = this.samples[index];
    return rows ? { tick: index * this.spacing, rows: rows.slice(0) } : null;
  }
}
