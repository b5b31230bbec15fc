// Draws another world transparently over the shown one: only the bodies with another pose.
import type { Scene } from "../messages";
import { ROW } from "../world";
import { Bodies } from "./bodies";

const POSE_WORDS = 7;

// Returns the rows of `others` whose pose differs from that of the same body in `rows`, and the
// largest distance of a body. A body that only `others` has differs, at no distance.
export function rowsElsewhere(rows: ArrayBuffer, others: ArrayBuffer): [ArrayBuffer, number] {
  const numbers = new Float32Array(rows), words = new Uint32Array(rows);
  const otherNumbers = new Float32Array(others), otherWords = new Uint32Array(others);
  const places = new Map<number, number>();
  for (let at = 0; at < words.length; at += ROW.WORDS) places.set(words[at + ROW.ID], at);
  const found = new Uint32Array(otherWords.length);
  let count = 0, apart = 0;
  for (let at = 0; at < otherWords.length; at += ROW.WORDS) {
    const from = places.get(otherWords[at + ROW.ID]);
    let differs = from === undefined;
    for (let i = 0; i < POSE_WORDS && !differs; ++i) {
      differs = words[from! + i] !== otherWords[at + i];
    }
    if (!differs) continue;
    found.set(otherWords.subarray(at, at + ROW.WORDS), count);
    count += ROW.WORDS;
    if (from === undefined) continue;
    apart = Math.max(apart, Math.hypot(...[0, 1, 2].map((i) =>
      numbers[from + i] - otherNumbers[at + i])));
  }
  return [found.buffer.slice(0, 4 * count), apart];
}

export class Ghost {
  readonly bodies = new Bodies(true);
  apart: number | null = null;  // the largest distance of a body, or null if there is no ghost
  count = 0;  // of the bodies that are drawn
  private scene: Scene | null = null;
  private loaded = false;
  private others: ArrayBuffer | null = null;  // newest poses

  // Replaces the scene, and shows nothing.
  load(scene: Scene): void {
    this.scene = scene;
    this.loaded = false;
    this.hide();
  }

  hide(): void {
    this.bodies.group.visible = false;
    this.others = this.apart = null;
    this.count = 0;
  }

  // Shows the bodies of another world over `rows`. `others` is null if it has not changed.
  show(rows: ArrayBuffer, others: ArrayBuffer | null): void {
    this.others = others ?? this.others;
    if (!this.others || !this.scene) return;
    if (!this.loaded) this.bodies.load(this.scene);
    this.loaded = this.bodies.group.visible = true;
    const [elsewhere, apart] = rowsElsewhere(rows, this.others);
    this.bodies.draw(elsewhere);
    this.count = elsewhere.byteLength / ROW.BYTES;
    this.apart = apart;
  }
}
