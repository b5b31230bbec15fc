// Draws springs, tethers and joints as lines.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, LineBasicMaterial,
         LineSegments } from "three";
import type { Link } from "../messages";
import type { Vec } from "../vec";
import { ROW } from "../world";

const COLOR = 0x75532f;  // visible on dark and on light
const LINKS_MAX = 20_000;  // more would take too long for a frame

// Writes both ends of each link, and returns how many links there are. Links of bodies that are not
// in the rows are left out.
export function writeEnds(links: Link[], rows: ArrayBuffer, ends: Float32Array): number {
  const numbers = new Float32Array(rows), words = new Uint32Array(rows);
  const last = links.reduce((most, { a, b }) => Math.max(most, a, b ?? 0), 0);
  const places = new Int32Array(last + 1).fill(-1);
  for (let at = 0; at < words.length; at += ROW.WORDS) places[words[at + ROW.ID]] = at;
  let count = 0;
  for (const { a, b, atA, atB } of links) {
    const from = places[a], to = b === null ? 0 : places[b];
    if (from < 0 || to < 0) continue;
    writePoint(numbers, from, atA, ends, 6 * count);
    if (b === null) ends.set(atB, 6 * count + 3);
    else writePoint(numbers, to, atB, ends, 6 * count + 3);
    ++count;
  }
  return count;
}

// Writes a point of the body in a row: position + v + 2 w (u x v) + 2 u x (u x v).
function writePoint(row: Float32Array, from: number, [p, q, r]: Vec, out: Float32Array,
                    at: number): void {
  const x = row[from + 3], y = row[from + 4], z = row[from + 5], w = row[from + 6];
  const tx = 2 * (y * r - z * q), ty = 2 * (z * p - x * r), tz = 2 * (x * q - y * p);
  out[at] = row[from] + p + w * tx + y * tz - z * ty;
  out[at + 1] = row[from + 1] + q + w * ty + z * tx - x * tz;
  out[at + 2] = row[from + 2] + r + w * tz + x * ty - y * tx;
}

export class Links {
  readonly lines = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: COLOR }));
  private links: Link[] = [];
  private ends = new Float32Array(0);

  constructor() { this.lines.frustumCulled = false; }  // its bounds are only of the first frame

  // Replaces the links. Shows none if there are too many.
  load(links: Link[]): void {
    this.links = links.length > LINKS_MAX ? [] : links;
    this.ends = new Float32Array(6 * this.links.length);
    this.lines.geometry.dispose();
    this.lines.geometry = new BufferGeometry();
    const place = new BufferAttribute(this.ends, 3).setUsage(DynamicDrawUsage);
    this.lines.geometry.setAttribute("position", place).setDrawRange(0, 0);
  }

  // Shows the links between the bodies of a frame.
  draw(rows: ArrayBuffer): void {
    if (this.links.length === 0) return;
    const { geometry } = this.lines;
    geometry.setDrawRange(0, 2 * writeEnds(this.links, rows, this.ends));
    geometry.getAttribute("position").needsUpdate = true;
  }
}
