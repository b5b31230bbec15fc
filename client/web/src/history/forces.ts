// Reads the springs, fields and weights of a scene from its binary form (schema/scene.fbs).
import type { Vec } from "../vec";

// A spring between points of two bodies, in body coordinates. For a tether `b` is null, and `atB`
// is a point of the world.
export type Spring = { a: number, b: number | null, atA: Vec, atB: Vec, stiffness: number,
                       rest: number };

export type Forces = {
  inSi: boolean, softening: number, springs: Spring[],
  gravityScales: number[],  // of the scene's bodies
};

// The places of fields in their tables.
const SCENE = { TICK_TIME: 3, SOFTENING: 9, BODIES: 13, SPRINGS: 14, TETHERS: 15 };
const BODY = { ID: 0, GRAVITY_SCALE: 11 };
const SPRING = { A: 0, B: 1, AT_A: 2, AT_B: 3, STIFFNESS: 4, REST: 6 };
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

export function readForces(scene: Uint8Array): Forces {
  const view = new DataView(scene.buffer, scene.byteOffset, scene.byteLength);
  const root = new Table(view, view.getUint32(0, true));
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
