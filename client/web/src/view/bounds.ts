// Finds the box that the camera looks at, around the bodies that move and their supports.
import { rotate, type Vec } from "../vec";
import type { SceneBody } from "../messages";
import { PartKind, type Part } from "../world";
import { isMarked } from "./shapes";

// A box along the axes of its space.
export type Box = { low: Vec, high: Vec };

// The box to look at. The sphere around it has the `radius`, which is more than 0. `floor` is the
// height of the floor if there is one.
export type Bounds = Box & { radius: number, floor: number | null };

// These lengths are multiples of the longest side of the box of the bodies that move.
const NEAR = 0.25;  // a fixed body that is nearer belongs to the picture
const WHOLE = 3;  // a fixed body that is larger is not shown whole
const FALL = 20;  // a floor that is farther below is not shown

const AXES = [0, 1, 2] as const;

const vec = (make: (axis: 0 | 1 | 2) => number): Vec => [make(0), make(1), make(2)];

export const middle = ({ low, high }: Box): Vec => vec((i) => (low[i] + high[i]) / 2);

const longest = ({ low, high }: Box): number => Math.max(...AXES.map((i) => high[i] - low[i]));

const around = (boxes: Box[]): Box => ({
  low: vec((i) => boxes.reduce((least, { low }) => Math.min(least, low[i]), Infinity)),
  high: vec((i) => boxes.reduce((most, { high }) => Math.max(most, high[i]), -Infinity)),
});

const grown = ({ low, high }: Box, by: number): Box =>
  ({ low: vec((i) => low[i] - by), high: vec((i) => high[i] + by) });

const common = (a: Box, b: Box): Box => ({ low: vec((i) => Math.max(a.low[i], b.low[i])),
                                           high: vec((i) => Math.min(a.high[i], b.high[i])) });

const isEmpty = ({ low, high }: Box): boolean => AXES.some((i) => low[i] > high[i]);

// Returns a box turned by a quaternion, and then moved.
export function placed(box: Box, position: Vec, orientation: ArrayLike<number>): Box {
  const half = vec((i) => (box.high[i] - box.low[i]) / 2);
  const center = rotate(orientation, middle(box));
  const reach = AXES.map((i) => rotate(orientation, vec((axis) => axis === i ? half[i] : 0)));
  const away = vec((i) => reach.reduce((sum, side) => sum + Math.abs(side[i]), 0));
  return { low: vec((i) => position[i] + center[i] - away[i]),
           high: vec((i) => position[i] + center[i] + away[i]) };
}

function boxOfPart({ kind, radius, half_length: half, half_extents: e, points }: Part): Box {
  const upTo = (x: number, y: number, z: number): Box => ({ low: [-x, -y, -z], high: [x, y, z] });
  switch (kind) {
    case PartKind.SPHERE: return upTo(radius, radius, radius);
    case PartKind.CAPSULE: return upTo(radius, half + radius, radius);
    case PartKind.BOX: return upTo(e[0], e[1], e[2]);
    default: {
      const corners = Array.from({ length: points.length / 3 }, (_, i): Box => {
        const corner = vec((axis) => points[3 * i + axis]);
        return { low: corner, high: corner };
      });
      return around(corners);
    }
  }
}

// Returns the box of a body in its axes, or null if it has only planes. A marker has no size.
export function boxOf(body: SceneBody): Box | null {
  if (body.shapes.length === 0) {
    const e = isMarked(body) ? [0, 0, 0] : body.half_extents;
    return { low: vec((i) => -e[i]), high: vec((i) => e[i]) };
  }
  const parts = body.shapes.filter(({ kind }) => kind !== PartKind.PLANE);
  return parts.length === 0 ? null
    : around(parts.map((part) => placed(boxOfPart(part), part.position as Vec, part.orientation)));
}

// Returns the boxes without those that are far from most of them.
function most(boxes: Box[]): Box[] {
  const centers = boxes.map(middle);
  const limits = AXES.map((axis) => {
    const places = centers.map((center) => center[axis]).sort((a, b) => a - b);
    const at = (part: number) => places[Math.round(part * (places.length - 1))];
    const [low, high] = [at(0.02), at(0.98)];
    return [low - (high - low) / 2, high + (high - low) / 2];
  });
  return boxes.filter((_, i) => AXES.every((axis) =>
    limits[axis][0] <= centers[i][axis] && centers[i][axis] <= limits[axis][1]));
}

// Returns the box to look at. `fixed` are bodies that do not move, and `floor` is the height of
// the floor.
export function boundsOf(moving: Box[], fixed: Box[], floor: number | null): Bounds {
  const main = most(moving.length > 0 ? moving : fixed);
  const box: Box = main.length > 0 ? around(main) : { low: [0, 0, 0], high: [0, 0, 0] };
  const seen = moving.length > 0 ? withFixed(box, fixed, floor) : box;
  const radius = Math.hypot(...AXES.map((i) => seen.high[i] - seen.low[i])) / 2;
  return radius > 0 ? { ...seen, radius, floor } : { ...grown(seen, 1), radius: 1, floor };
}

// Adds the fixed bodies near those that move. Without a support, adds the ground below.
function withFixed(box: Box, fixed: Box[], floor: number | null): Box {
  const side = longest(box);
  const reach = grown(box, NEAR * side);
  const near = fixed.filter((other) => !isEmpty(common(other, reach)));
  const seen = around([box, ...near.map((other) =>
    longest(other) <= WHOLE * side ? other : common(other, reach))]);
  if (near.some(({ low }) => low[1] <= box.low[1])) return seen;
  const below = fixed.filter((other) => !isEmpty(common(other, { ...reach, low:
    [reach.low[0], -Infinity, reach.low[2]] }))).map(({ high }) => high[1]);
  const ground = Math.max(...[...below, floor ?? -Infinity].filter((y) => y <= box.low[1]));
  if (box.low[1] - ground <= FALL * side) seen.low[1] = Math.min(seen.low[1], ground);
  return seen;
}
