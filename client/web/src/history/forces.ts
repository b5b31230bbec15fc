// Reads the springs, joints, fields and weights of a scene from its binary form (schema/scene.fbs).
import type { Vec } from "../vec";

// A spring between points of two bodies, in body coordinates. For a tether `b` is null, and `atB`
// is a point of the world.
export type Spring = { a: number, b: number | null, atA: Vec, atB: Vec, stiffness: number,
                       rest: number };

export type Forces = {
  inSi: boolean, softening: number, springs: Spring[],
  gravityScales: number[],  // of the scene's bodies
};

// Points of two bodies that are held together, in body coordinates. If `apart`, they are held at a
// distance.
export type Joint = { a: number, b: number, atA: Vec, atB: Vec, apart: boolean };

// The places of fields in their tables.
const SCENE = { TICK_TIME: 3, SOFTENING: 9, BODIES: 13, SPRINGS: 14, TETHERS: 15,
                JOINTS: 21 };
const BODY = { ID: 0, GRAVITY_SCALE: 11 };
const SPRING = { A: 0, B: 1, AT_A: 2, AT_B: 3, STIFFNESS: 4, REST: 6 };
const JOINT = { KIND: 0, A: 1, B: 2, AT_A: 3, AT_B: 4 };
const BALL = 1;  // the kind of a joint that names none
const DISTANCE = 0;
const TETHER = { BODY: 0, AT: 1, ANCHOR: 2, STIFFNESS: 3, REST: 5 };

// A table of FlatBuffers. A field that is absent has its default.
class Table {
  constructor(private readonly view: DataView, private readonly at: number) {}

  private field(place: number): number | null {
    const { view, at } = this;
    const fields = at - view.getInt32(at, true);
    const entry = 4 + 2 * place;
    const offset = entry < view.getUint16(fields, true) ? view.getUint16(fields + entry, true) : 0;
    return offset === 0 ? null : at + offset;
  }

  has(place: number): boolean { return this.field(place) !== null; }

  byte(place: number, absent: number): number {
    const at = this.field(place);
    return at === null ? absent : this.view.getUint8(at);
  }

  uint(place: number, absent = 0): number {
    const at = this.field(place);
    return at === null ? absent : this.view.getUint32(at, true);
  }

  double(place: number, absent = 0): number {
    const at = this.field(place);
    return at === null ? absent : this.view.getFloat64(at, true);
  }

  vec(place: number): Vec {
    const at = this.field(place);
    return [0, 8, 16].map((i) => at === null ? 0 : this.view.getFloat64(at + i, true)) as Vec;
  }

  tables(place: number): Table[] {
    const field = this.field(place);
    if (field === null) return [];
    const list = field + this.view.getUint32(field, true);
    return Array.from({ length: this.view.getUint32(list, true) }, (_, i) => {
      const at = list + 4 + 4 * i;
      return new Table(this.view, at + this.view.getUint32(at, true));
    });
  }
}

function rootOf(scene: Uint8Array): Table {
  const view = new DataView(scene.buffer, scene.byteOffset, scene.byteLength);
  return new Table(view, view.getUint32(0, true));
}

export function readJoints(scene: Uint8Array): Joint[] {
  return rootOf(scene).tables(SCENE.JOINTS).map((joint) => ({
    a: joint.uint(JOINT.A), b: joint.uint(JOINT.B), atA: joint.vec(JOINT.AT_A),
    atB: joint.vec(JOINT.AT_B), apart: joint.byte(JOINT.KIND, BALL) === DISTANCE }));
}

export function readForces(scene: Uint8Array): Forces {
  const root = rootOf(scene);
  const gravityScales: number[] = [];
  root.tables(SCENE.BODIES).forEach((body, i) => {
    gravityScales[body.uint(BODY.ID, i)] = body.double(BODY.GRAVITY_SCALE, 1);
  });
  const springs = root.tables(SCENE.SPRINGS).map((spring) => ({
    a: spring.uint(SPRING.A), b: spring.uint(SPRING.B), atA: spring.vec(SPRING.AT_A),
    atB: spring.vec(SPRING.AT_B), stiffness: spring.double(SPRING.STIFFNESS),
    rest: spring.double(SPRING.REST) }));
  const tethers = root.tables(SCENE.TETHERS).map((tether) => ({
    a: tether.uint(TETHER.BODY), b: null, atA: tether.vec(TETHER.AT),
    atB: tether.vec(TETHER.ANCHOR), stiffness: tether.double(TETHER.STIFFNESS),
    rest: tether.double(TETHER.REST) }));
  return { inSi: !root.has(SCENE.TICK_TIME), softening: root.double(SCENE.SOFTENING),
           springs: [...springs, ...tethers], gravityScales };
}
