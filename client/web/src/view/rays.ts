// Finds the body that a ray hits first, from the poses that are shown.
import type { Pick, SceneBody } from "../messages";
import { BodyKind, PartKind, ROW, type Part } from "../world";
import { add, cross, dot, rotate, type Vec } from "../vec";
import { isMarked, isWall, MARKER_SIZE } from "./shapes";

type Quat = ArrayLike<number>;

// A ray. Fractions of `along` are the results below; Infinity is a miss.
type Ray = { origin: Vec, along: Vec };

function toLocal(ray: Ray, position: Vec, orientation: Quat): Ray {
  return { origin: rotate(orientation, add(ray.origin, position, -1), -1),
           along: rotate(orientation, ray.along, -1) };
}

function hitSphere({ origin, along }: Ray, radius: number): number {
  const a = dot(along, along), b = dot(origin, along), c = dot(origin, origin) - radius * radius;
  const root = b * b - a * c;
  const at = (-b - Math.sqrt(root)) / a;
  return root >= 0 && at >= 0 ? at : Infinity;
}

function hitBox({ origin, along }: Ray, half: number[]): number {
  let near = 0, far = Infinity;
  for (let i = 0; i < 3; ++i) {
    const a = (-half[i] - origin[i]) / along[i], b = (half[i] - origin[i]) / along[i];
    if (along[i] === 0) {
      if (Math.abs(origin[i]) > half[i]) return Infinity;
      continue;
    }
    near = Math.max(near, Math.min(a, b));
    far = Math.min(far, Math.max(a, b));
  }
  return near <= far ? near : Infinity;
}

// The axis of a capsule is y.
function hitCapsule(ray: Ray, radius: number, half: number): number {
  const { origin: o, along: d } = ray;
  const a = d[0] * d[0] + d[2] * d[2], b = o[0] * d[0] + o[2] * d[2];
  const root = b * b - a * (o[0] * o[0] + o[2] * o[2] - radius * radius);
  const at = (-b - Math.sqrt(root)) / a;
  const side = root >= 0 && at >= 0 && Math.abs(o[1] + at * d[1]) <= half ? at : Infinity;
  const cap = (y: number) => hitSphere({ origin: [o[0], o[1] - y, o[2]], along: d }, radius);
  return Math.min(side, cap(half), cap(-half));
}

function hitPlane({ origin, along }: Ray): number {
  const at = -origin[1] / along[1];
  return along[1] < 0 && at >= 0 ? at : Infinity;
}

// Triangles are hit from outside only (Möller and Trumbore, 1997).
function hitSurface({ origin, along }: Ray, { points, faces }: Part): number {
  const corner = (i: number): Vec => [points[3 * i], points[3 * i + 1], points[3 * i + 2]];
  let best = Infinity;
  for (let i = 0; i < faces.length; i += 3) {
    const a = corner(faces[i]);
    const ab = add(corner(faces[i + 1]), a, -1), ac = add(corner(faces[i + 2]), a, -1);
    const normal = cross(along, ac);
    const area = dot(ab, normal);
    if (area <= 0) continue;
    const from = add(origin, a, -1), side = cross(from, ab);
    const u = dot(from, normal) / area, v = dot(along, side) / area;
    const at = dot(ac, side) / area;
    if (u >= 0 && v >= 0 && u + v <= 1 && at >= 0) best = Math.min(best, at);
  }
  return best;
}

function hitPart(ray: Ray, part: Part): number {
  const local = toLocal(ray, part.position as Vec, part.orientation);
  switch (part.kind) {
    case PartKind.SPHERE: return hitSphere(local, part.radius);
    case PartKind.CAPSULE: return hitCapsule(local, part.radius, part.half_length);
    case PartKind.BOX: return hitBox(local, part.half_extents);
    case PartKind.PLANE: return hitPlane(local);
    default: return hitSurface(local, part);
  }
}

function hitBody(ray: Ray, body: SceneBody, extent: number): number {
  if (body.shapes.length > 0) return Math.min(...body.shapes.map((part) => hitPart(ray, part)));
  if (isMarked(body)) return hitSphere(ray, MARKER_SIZE * extent);
  const half = body.half_extents;
  return body.kind === BodyKind.POINT ? hitSphere(ray, half[0]) : hitBox(ray, half);
}

// Returns the first body, no wall, that the ray hits within `along`, or null. `extent` is the
// radius of the picture.
export function pickShown(bodies: SceneBody[], rows: ArrayBuffer, origin: Vec, along: Vec,
                          extent: number) {
  const numbers = new Float32Array(rows), words = new Uint32Array(rows);
  let best = 1, found: Pick | null = null;
  for (let at = 0; at < numbers.length; at += ROW.WORDS) {
    const body = bodies[words[at + ROW.SCENE_BODY]];
    if (!body || isWall(body)) continue;
    const position: Vec = [numbers[at], numbers[at + 1], numbers[at + 2]];
    const ray = toLocal({ origin, along }, position, numbers.subarray(at + 3, at + 7));
    const fraction = hitBody(ray, body, extent);
    if (fraction > best || fraction === Infinity) continue;
    best = fraction;
    found = { body: words[at + ROW.ID], point: add(origin, along, fraction), rights: null };
  }
  return found;
}
