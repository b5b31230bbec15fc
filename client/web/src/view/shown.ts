// The bodies of the newest frame, for picking, labels and the camera.
import type { Pick, SceneBody } from "../messages";
import { BodyKind, PartKind, ROW, sceneBodyOf } from "../world";
import { rotate, type Vec } from "../vec";
import { pickShown } from "./rays";

export type Pose = { position: Vec, orientation: number[] };
export type Bounds = { center: Vec, radius: number, floor: number | null };

// Returns a point of the world in the axes of a body.
export function toBody({ position: p, orientation }: Pose, point: Vec): Vec {
  return rotate(orientation, [point[0] - p[0], point[1] - p[1], point[2] - p[2]], -1);
}

// Returns a point of a body in the axes of the world.
export function toWorld({ position: p, orientation }: Pose, point: Vec): Vec {
  const [x, y, z] = rotate(orientation, point);
  return [x + p[0], y + p[1], z + p[2]];
}

// Returns true for a body that forces move.
export const moves = ({ kind }: SceneBody): boolean =>
  kind === BodyKind.RIGID || kind === BodyKind.POINT;

// Returns the quantile at `part`, from 0 to 1, or 0 if there are no numbers. Sorts them.
const quantile = (numbers: number[], part: number): number =>
  numbers.sort((a, b) => a - b)[Math.round(part * (numbers.length - 1))] ?? 0;

export class Shown {
  private rows = new ArrayBuffer(0);
  private numbers = new Float32Array(0);
  private words = new Uint32Array(0);

  // `scene` has the bodies of the scene.
  constructor(private readonly scene: SceneBody[] = []) {}

  update(rows: ArrayBuffer): void {
    this.rows = rows;
    this.numbers = new Float32Array(rows);
    this.words = new Uint32Array(rows);
  }

  // The rows of the frame.
  get poses(): ArrayBuffer { return this.rows; }

  get count(): number { return this.words.length / ROW.WORDS; }

  // --- bodies by their index in the frame ---

  id(index: number): number { return this.words[index * ROW.WORDS + ROW.ID]; }

  describe(index: number): SceneBody {
    return this.scene[sceneBodyOf(this.words[index * ROW.WORDS + ROW.FLAGS])];
  }

  // Returns the name, or the id if there is none.
  name(index: number): string { return this.describe(index).name || `body ${this.id(index)}`; }

  position(index: number): Vec {
    const at = index * ROW.WORDS;
    return [this.numbers[at], this.numbers[at + 1], this.numbers[at + 2]];
  }

  private poseAt(index: number): Pose {
    const at = index * ROW.WORDS;
    const orientation = [...this.numbers.subarray(at + 3, at + 7)];
    return { position: this.position(index), orientation };
  }

  // Returns the index of a body, or -1 if it is not shown.
  find(id: number): number {
    for (let i = 0; i < this.count; ++i) if (this.id(i) === id) return i;
    return -1;
  }

  // --- bodies by their id. The results are null for a body that is not shown ---

  body(id: number): SceneBody | null {
    const index = this.find(id);
    return index < 0 ? null : this.describe(index);
  }

  pose(id: number): Pose | null {
    const index = this.find(id);
    return index < 0 ? null : this.poseAt(index);
  }

  // Returns the body under a ray. Floors and walls are background.
  pick(origin: Vec, along: Vec): Pick | null {
    const found = pickShown(this.scene, this.rows, origin, along);
    const isPlane = found && this.body(found.body)?.shapes[0]?.kind === PartKind.PLANE;
    return isPlane ? null : found;
  }

  // Returns the first body that moves, or null.
  firstMoving(): number | null {
    for (let i = 0; i < this.count; ++i) if (moves(this.describe(i))) return this.id(i);
    return null;
  }

  // --- the whole frame ---

  // Returns a sphere around most of the bodies that move, and the height of the floor if there is
  // one. If none moves, the sphere is around all.
  bounds(): Bounds {
    const all = Array.from({ length: this.count }, (_, i) => i);
    const moving = all.filter((index) => moves(this.describe(index)));
    const points = (moving.length > 0 ? moving : all).map((index) => this.position(index));
    const center = [0, 1, 2].map((axis) => {
      const places = points.map((point) => point[axis]);
      return (quantile(places, 0.02) + quantile(places, 0.98)) / 2;
    }) as Vec;
    const away = points.map((point) => Math.hypot(...point.map((x, i) => x - center[i])));
    return { center, radius: Math.max(1, 1.1 * quantile(away, 0.98)), floor: this.floor() };
  }

  private floor(): number | null {
    for (let index = 0; index < this.count; ++index) {
      for (const { kind, position, orientation } of this.describe(index).shapes) {
        if (kind !== PartKind.PLANE) continue;
        const pose = this.poseAt(index);
        const up = rotate(pose.orientation, rotate(orientation, [0, 1, 0]))[1];
        if (up > 0.9) return toWorld(pose, position as Vec)[1];
      }
    }
    return null;
  }
}
