// Vectors, and their rotation by quaternions.

export type Vec = [number, number, number];

export const dot = (a: Vec, b: Vec): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const add = (a: Vec, b: Vec, scale = 1): Vec =>
  [a[0] + scale * b[0], a[1] + scale * b[1], a[2] + scale * b[2]];
export const cross = (a: Vec, b: Vec): Vec =>
  [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

// Rotates a vector by a quaternion, or by its inverse.
export function rotate(q: ArrayLike<number>, v: Vec, sign = 1): Vec {
  const u: Vec = [sign * q[0], sign * q[1], sign * q[2]];
  const t = cross(u, v).map((x) => 2 * x) as Vec;
  return add(add(v, t, q[3]), cross(u, t));
}
