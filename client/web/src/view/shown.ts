// The bodies of the newest frame, for picking, labels and the camera.
import type { Pick, SceneBody } from "../messages";
import { BodyKind, PartKind, ROW, sceneBodyOf } from "../world";
import { pickShown, rotate, type Vec } from "./rays";

export type Pose = { position: Vec, orientation: number[] };

export class Shown {
  private rows = new ArrayBuffer(0);
  private numbers = new Float32Array(0);
  private words = new Uint32Array(0);

  constructor(readonly bodies: SceneBody[] = []) {}

  update(rows: ArrayBuffer): void {
    this.rows = rows;
    this.numbers = new Float32Array(rows);
    this.words = new Uint32Array(rows);
  }

  get count(): number { return this.words.length / ROW.WORDS; }

  id(index: number): number { return this.words[index * ROW.WORDS + ROW.ID]; }

  // Returns the description of a body, or null if it is not shown.
  body(id: number): SceneBody | null {
    const index = this.find(id);
    if (index < 0) return null;
    return this.bodies[sceneBodyOf(this.words[index * ROW.WORDS + ROW.FLAGS])] ?? null;
  }

  pose(id: number): Pose | null {
    const at = this.find(id) * ROW.WORDS;
    return at < 0 ? null : { position: this.position(at / ROW.WORDS),
                             orientation: [...this.numbers.subarray(at + 3, at + 7)] };
  }

  position(index: number): Vec {
    const at = index * ROW.WORDS;
    return [this.numbers[at], this.numbers[at + 1], this.numbers[at + 2]];
  }

  // Returns the first body that moves, or null.
  firstMoving(): number | null {
    for (let i = 0; i < this.count; ++i) {
      const { kind } = this.body(this.id(i))!;
      if (kind === BodyKind.RIGID || kind === BodyKind.POINT) return this.id(i);
    }
    return null;
  }

  private find(id: number): number {
    for (let i = 0; i < this.count; ++i) if (this.id(i) === id) return i;
    return -1;
  }

  // Returns a point of the world in the axes of a body, and back.
  toBody({ position: p, orientation }: Pose, point: Vec): Vec {
    return rotate(orientation, [point[0] - p[0], point[1] - p[1], point[2] - p[2]], -1);
  }
  toWorld({ position: p, orientation }: Pose, point: Vec): Vec {
    const [x, y, z] = rotate(orientation, point);
    return [x + p[0], y + p[1], z + p[2]];
  }

  // Returns the body under a ray. Floors and walls are background.
  pick(origin: Vec, along: Vec): Pick | null {
    const found = pickShown(this.bodies, this.rows, origin, along);
    const isPlane = found && this.body(found.body)?.shapes[0]?.kind === PartKind.PLANE;
    return isPlane ? null : found;
  }

  // Returns a sphere around most bodies, and the height of the floor if there is one.
  bounds(): { center: Vec, radius: number, floor: number | null } {
    const points: Vec[] = [];
    let floor: number | null = null;
    for (let i = 0; i < this.count; ++i) {
      const planes = this.body(this.id(i))!.shapes.filter((part) => part.kind === PartKind.PLANE);
      if (planes.length === 0) points.push(this.position(i));
      const pose = this.pose(this.id(i))!;
      for (const { position, orientation } of planes) {
        const up = rotate(pose.orientation, rotate(orientation, [0, 1, 0]))[1];
        if (up > 0.9) floor = this.toWorld(pose, position as Vec)[1];
      }
    }
    const middle = (axis: number) => {
      const sorted = points.map((point) => point[axis]).sort((a, b) => a - b);
      return ((sorted[0] ?? 0) + (sorted.at(-1) ?? 0)) / 2;
    };
    const center: Vec = [middle(0), middle(1), middle(2)];
    const radius = Math.max(1, ...points.map((p) =>
      Math.hypot(p[0] - center[0], p[1] - center[1], p[2] - center[2])));
    return { center, radius, floor };
  }
}
