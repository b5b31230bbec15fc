// Keeps the poses of a whole log at every few ticks, to draw them at once while somebody scrubs.
import type { Totals } from "../world";

const SPACING = 4;  // ticks

type Sample = { rows: ArrayBuffer, totals: Totals };

export class Track {
  readonly bytesMax = 128 << 20;
  private samples: Sample[] = [];
  private spacing = SPACING;
  bytes = 0;

  private get next(): number { return this.samples.length * this.spacing; }

  // Returns true if the sample at a tick is missing. REQUIRES: `tick` ascends from call to call.
  wants(tick: number): boolean { return tick >= this.next; }

  // Adds the poses of a wanted tick, also in place of ticks before it that the log lost. When the
  // memory is full, it keeps every other sample.
  add(tick: number, rows: ArrayBuffer, totals: Totals): void {
    while (this.wants(tick)) {
      this.samples.push({ rows, totals });
      this.bytes += rows.byteLength;
    }
    if (this.bytes > this.bytesMax) this.thin();
  }

  private thin(): void {
    this.samples = this.samples.filter((_, i) => i % 2 === 0);
    this.spacing *= 2;
    this.bytes = this.samples.reduce((sum, { rows }) => sum + rows.byteLength, 0);
  }

  // Returns the sample at or before a tick, or null if there is none yet.
  near(tick: number): Sample & { tick: number } | null {
    const index = Math.floor(tick / this.spacing);
    const sample = this.samples[index];
    return sample && { tick: index * this.spacing, rows: sample.rows.slice(0),
                       totals: sample.totals };
  }
}
