// The bodies of the newest frame, for picking, labels and the camera.
import type { Link, Pick, SceneBody } from "../messages";
import { BodyKind, PartKind, ROW } from "../world";
import { rotate, type Vec } from "../vec";
import { boundsOf, boxOf, placed, type Bounds, type Box } from "./bounds";
import { writeEnds } from "./links";
import { pickShown } from "./rays";
import { isWall } from "./shapes";

export type Pose = { position: Vec, orientation: number[] };

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

export class Shown {
  private rows = new ArrayBuffer(0);
  private numbers = new Float32Array(0);
  private words = new Uint32Array(0);

  // `scene` has the bodies of the scene.
  constructor(private readonly scene: SceneBody[] = [], private readonly links: Link[] = []) {}

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

  private sceneBody(index: number): number {
    return this.words[index * ROW.WORDS + ROW.SCENE_BODY];
  }

  describe(index: number): SceneBody { return this.scene[this.sceneBody(index)]; }

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

  // Returns the body under a ray. Floors and walls are background. The picture has a radius of
  // `extent`.
  pick(origin: Vec, along: Vec, extent: number): Pick | null {
    const found = pickShown(this.scene, this.rows, origin, along, extent);
    const isPlane = found && this.body(found.body)?.shapes[0]?.kind === PartKind.PLANE;
    return isPlane ? null : found;
  }

  // Returns the first body that moves, or null.
  firstMoving(): number | null {
    for (let i = 0; i < this.count; ++i) if (moves(this.describe(i))) return this.id(i);
    return null;
  }

  // --- the whole frame ---

  // Returns the box around most of the bodies that move, with their links and supports. If none
  // moves, the box is around all.
  bounds(): Bounds {
    const moving: Box[] = [], fixed: Box[] = [];
    const boxes = this.scene.map(boxOf);
    for (let index = 0; index < this.count; ++index) {
      const body = this.describe(index);
      const box = boxes[this.sceneBody(index)];
      if (!box || isWall(body)) continue;
      const { position, orientation } = this.poseAt(index);
      const isFixed = body.kind === BodyKind.ANCHOR;
      (isFixed ? fixed : moving).push(placed(box, position, orientation));
    }
    const ends = new Float32Array(6 * this.links.length);
    const count = writeEnds(this.links, this.rows, ends);
    for (let at = 0; at < 6 * count; at += 3) {
      const end: Vec = [ends[at], ends[at + 1], ends[at + 2]];
      moving.push({ low: end, high: end });
    }
    return boundsOf(moving, fixed, this.floor());
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
