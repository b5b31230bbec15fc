// Makes the geometry of shapes. A kind of geometry is drawn by one InstancedMesh.
import { BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, PlaneGeometry,
         SphereGeometry } from "three";
import type { SceneBody } from "../messages";
import { BodyKind, PartKind, type Part } from "../world";

const SEGMENTS = [16, 12];  // of a sphere: more make thousands of balls slow
// These sizes are multiples of the extent of the picture.
export const MARKER_SIZE = 0.012;
const PLANE_SIZE = 400;
const DARK = 0.72;  // of the colour, on every other octant, so that rolling shows

// A piece of a body: a geometry, scaled, at a place in body axes. `key` names the geometry.
// `follows`: its size is a multiple of the extent of the picture.
export type Piece = {
  key: string, make: () => BufferGeometry, position: number[], orientation: number[],
  scale: number[], faint: boolean, follows: boolean,
};

const NO_TURN = [0, 0, 0, 1];

// Returns true for a fixed, thin and upright box. Walls are faint, and the pointer goes through.
export function isWall({ kind, shapes: [part] }: SceneBody): boolean {
  if (kind !== BodyKind.ANCHOR || part?.kind !== PartKind.BOX) return false;
  const [x, y, z] = part.half_extents;
  return y > 2 * Math.min(x, z);
}

// Returns true for a body without a shape or a size, of which only the place is known. It is drawn
// as a marker. A rigid body has a size, because its inertia follows from it. The size that others
// have without one in their scene is 0.5.
export function isMarked({ kind, shapes, half_extents: half }: SceneBody): boolean {
  return shapes.length === 0 &&
    (half.every((x) => x === 0) || kind !== BodyKind.RIGID && half.every((x) => x === 0.5));
}

// Returns the pieces of a body. A body without a shape is drawn as its box, as a ball, or as a
// marker.
export function piecesOf(body: SceneBody): Piece[] {
  const faint = isWall(body);
  if (body.shapes.length > 0) return body.shapes.map((part) => pieceOf(part, faint));
  const place = { position: [0, 0, 0], orientation: NO_TURN, faint: false };
  if (isMarked(body)) {
    return [{ key: "marker", make: marker, scale: [1, 1, 1], follows: true, ...place }];
  }
  const round = body.kind === BodyKind.POINT;
  const thin = Math.max(...body.half_extents) / 100;  // a side of no length has no shading
  return [{ key: round ? "sphere" : "box", make: round ? sphere : box, follows: false, ...place,
            scale: body.half_extents.map((half) => half || thin) }];
}

function pieceOf(part: Part, faint: boolean): Piece {
  const place = { position: part.position, orientation: part.orientation,
                  faint: faint || part.sensor !== 0, follows: part.kind === PartKind.PLANE };
  const { radius, half_length: half } = part;
  switch (part.kind) {
    case PartKind.SPHERE:
      return { key: "sphere", make: sphere, scale: [radius, radius, radius], ...place };
    case PartKind.BOX: return { key: "box", make: box, scale: part.half_extents, ...place };
    case PartKind.CAPSULE:
      return { key: `capsule ${half / radius}`, make: () => capsule(half / radius),
               scale: [radius, radius, radius], ...place };
    case PartKind.PLANE: return { key: "plane", make: plane, scale: [1, 1, 1], ...place };
    default:
      return { key: `surface ${hash(part)}`, make: () => surface(part), scale: [1, 1, 1],
               ...place };
  }
}

function sphere(): BufferGeometry {
  return twoTone(new SphereGeometry(1, SEGMENTS[0], SEGMENTS[1]));
}

function capsule(half: number): BufferGeometry {
  return twoTone(new CapsuleGeometry(1, 2 * half, 5, SEGMENTS[0]));
}

function box(): BufferGeometry { return evenTone(new BoxGeometry(2, 2, 2)); }

function marker(): BufferGeometry { return sphere().scale(MARKER_SIZE, MARKER_SIZE, MARKER_SIZE); }

function plane(): BufferGeometry {
  return evenTone(new PlaneGeometry(PLANE_SIZE, PLANE_SIZE).rotateX(-Math.PI / 2));
}

function surface(part: Part): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(Float32Array.from(part.points), 3));
  geometry.setIndex(new BufferAttribute(part.faces, 1));
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  return evenTone(flat);
}

function evenTone(geometry: BufferGeometry): BufferGeometry { return tone(geometry, () => 1); }

function twoTone(geometry: BufferGeometry): BufferGeometry {
  return tone(geometry, (x, y, z) => (x * y * z > 0 ? 1 : DARK));
}

function tone(geometry: BufferGeometry, shade: (x: number, y: number, z: number) => number) {
  const place = geometry.getAttribute("position");
  const colors = new Float32Array(3 * place.count);
  for (let i = 0; i < place.count; ++i) {
    colors.fill(shade(place.getX(i), place.getY(i), place.getZ(i)), 3 * i, 3 * i + 3);
  }
  geometry.setAttribute("color", new BufferAttribute(colors, 3));
  return geometry;
}

// Returns a text that equal surfaces share. It depends on the vertices and the number of triangles.
function hash(part: Part): string {
  let sum = 7;
  for (const word of new Uint32Array(part.points.buffer)) sum = Math.imul(sum ^ word, 0x01000193);
  return `${part.vertices} ${part.triangles} ${sum >>> 0}`;
}
