// Keeps images of worlds by tick, in a limited number of bytes, dense near the shown tick.
import { difference, restored, wordsOf } from "./delta";

const BYTES_MAX = 64 << 20;
const SPACING_MIN = 8;  // ticks
const NEAR = 600;  // ticks; farther from the shown tick, the spacing grows with the distance
const BASES = 4;  // of frames before a new one, which are compared with it
const SAVING = 0.6;  // largest part of an image that a difference may have

// An image, and the number of frames that are stored as differences from it.
type Base = { words: Uint32Array, users: number };
type Frame = { tick: number, size: number, base: Base, delta: Uint32Array | null };

export class Keyframes {
  bytes = 0;
  private frames: Frame[] = [];  // in the order of their ticks
  private shown = 0;
  // The smallest gap around a frame, as a part of its distance. It is 0 until memory is full.
  private density = 0;

  constructor(readonly bytesMax = BYTES_MAX) {}

  get ticks(): number[] { return this.frames.map(({ tick }) => tick); }

  // Keeps frames dense near this tick from now on.
  centre(tick: number): void {
    this.shown = tick;
    if (this.density > 0) this.density = this.leastUseful()[1];
  }

  // Returns the last tick up to this one that has an image, or null.
  before(tick: number): number | null { return this.frames[this.find(tick)]?.tick ?? null; }

  // Returns the image of a tick, or null.
  image(tick: number): Uint8Array | null {
    const frame = this.frames[this.find(tick)];
    if (frame?.tick !== tick) return null;
    const { base, delta, size } = frame;
    const words = delta ? restored(base.words, delta) : base.words;
    return new Uint8Array(words.buffer, 0, size);
  }

  // Returns true if an image of this tick should be added.
  wants(tick: number): boolean {
    const at = this.find(tick);
    const spacing = this.spacing(tick);
    const { [at]: last, [at + 1]: next } = this.frames;
    if (spacing === Infinity) return false;  // an image is larger than the memory
    return (!last || tick - last.tick >= spacing) && (!next || next.tick - tick >= spacing / 2);
  }

  // Adds an image. It drops others if memory is full, and perhaps this one.
  add(tick: number, image: Uint8Array): void {
    const at = this.find(tick);
    if (this.frames[at]?.tick === tick) return;
    const frame = this.packed(tick, image, at);
    this.frames.splice(at + 1, 0, frame);
    this.count(frame, 1);
    while (this.bytes > this.bytesMax) {
      const [least, density] = this.leastUseful();
      this.density = density;
      this.count(this.frames.splice(least, 1)[0], -1);
    }
  }

  // Returns ticks in a gap between images that should have images too, or null if there is no gap
  // near the shown tick. `last` is the last tick of the log.
  gap(reach: number, last: number): number[] | null {
    const start = Math.max(this.shown - reach, 0), end = Math.min(this.shown + reach, last);
    for (let i = this.find(start); i < this.frames.length; ++i) {
      const first = this.frames[i]?.tick ?? -1;
      const from = Math.max(first, start);
      const to = Math.min(this.frames[i + 1]?.tick ?? end, end);
      if (from >= end) break;
      const nearest = Math.min(Math.max(this.shown, from), to);
      if (to - from < 2 * this.spacing(nearest)) continue;
      const ticks: number[] = [];
      for (let tick = from; tick < to; tick += Math.ceil(this.spacing(tick))) ticks.push(tick);
      return first === from ? ticks.slice(1) : ticks;
    }
    return null;
  }

  // Returns the index of the last frame up to a tick, or -1.
  private find(tick: number): number {
    let low = 0, high = this.frames.length;
    while (low < high) {
      const middle = low + high >> 1;
      if (this.frames[middle].tick <= tick) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  private distance(tick: number): number { return NEAR + Math.abs(tick - this.shown); }

  // A frame with this distance from both neighbours is more useful than the least useful one.
  private spacing(tick: number): number {
    return Math.max(SPACING_MIN, 0.75 * this.density * this.distance(tick));
  }

  // Returns the index of the least useful frame: its removal leaves the smallest gap, relative to
  // its distance. Also returns this relative gap. The first frame stays if there are others.
  private leastUseful(): [number, number] {
    let least = 0, smallest = Infinity;
    for (let i = 1; i < this.frames.length; ++i) {
      const { tick } = this.frames[i];
      const next = this.frames[i + 1]?.tick ?? tick + NEAR;
      const size = (next - this.frames[i - 1].tick) / this.distance(tick);
      if (size < smallest) [least, smallest] = [i, size];
    }
    return [least, smallest];
  }

  // Stores an image, as a difference from an earlier one if this saves memory.
  private packed(tick: number, image: Uint8Array, at: number): Frame {
    const words = wordsOf(image);
    const size = image.length;
    for (let i = at; i > at - BASES && i >= 0; --i) {
      const { base, size: other } = this.frames[i];
      if (other !== size) continue;
      const delta = difference(base.words, words);
      if (delta.length > SAVING * words.length) break;
      return { tick, size, base, delta };
    }
    return { tick, size, base: { words, users: 0 }, delta: null };
  }

  // Counts a frame that was added, or removed.
  private count({ base, delta }: Frame, sign: 1 | -1): void {
    const isCounted = base.users > 0;
    base.users += sign;
    if (isCounted !== base.users > 0) this.bytes += sign * base.words.byteLength;
    this.bytes += sign * (delta?.byteLength ?? 0);
  }
}
