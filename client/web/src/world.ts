// A world of the module: facts, bodies, shapes, numbers, rays, images and steps.
import { Code, Core } from "./core";
import { STRUCTS, type Of } from "./layout";

export type WorldInfo = Of<typeof STRUCTS.world_info>;
export type Body = Of<typeof STRUCTS.body>;
export type Hit = Of<typeof STRUCTS.hit>;
export type Event = Of<typeof STRUCTS.event>;
export type Command = Of<typeof STRUCTS.command>;
export type Link = Of<typeof STRUCTS.link>;
export type Totals = Of<typeof STRUCTS.totals>;
export type Difference = Of<typeof STRUCTS.difference>;

// The kinds of orrery.h.
export const BodyKind = { RIGID: 0, POINT: 1, ANCHOR: 2, KINEMATIC: 3 };
export const Control = { NOBODY: 0, ANYONE: 1, OWNER: 2 };
export const PartKind = { SPHERE: 0, CAPSULE: 1, BOX: 2, HULL: 3, PLANE: 4, HEIGHT_FIELD: 5,
                          MESH: 6 };
export const CommandKind = { THRUST: 0, TORQUE: 1, IMPULSE: 2, GRAB: 3, MOVE: 4, RELEASE: 5,
                             SPAWN: 6, REMOVE: 7, SET_PARAMETER: 8, JOIN: 9, LEAVE: 10,
                             SET_CONTROL: 11, DISOWN: 12 };
export const LinkKind = { SPRING: 0, TETHER: 1, DISTANCE: 2 };  // later ones hold points together
const HIT = 4;  // kind of an event

// The numbers of a body that orrery_world_flip_bit() can change.
export const FIELDS = [
  ...["position", "velocity", "angular_momentum"].flatMap((vector) =>
    ["x", "y", "z"].map((axis) => `${vector}.${axis}`)),
  ...["x", "y", "z", "w"].map((axis) => `orientation.${axis}`),
];

// The numbers that orrery_world_read() and orrery_client_read() can write.
export const What = { POSITION: 1, ORIENTATION: 2, VELOCITY: 4, ANGULAR_VELOCITY: 8, DOUBLE: 256,
                      STATE: 1 | 2 | 4 | 8 | 256, POSE: 1 | 2 };

// A part of a body, with its surface if it has one.
export type Part = Of<typeof STRUCTS.part> & { points: Float64Array, faces: Uint32Array };

// A row of poses that the page draws: position and orientation as binary32, then the id, and the
// scene body with the quality in its highest byte.
export const ROW = { WORDS: 9, BYTES: 36, ID: 7, FLAGS: 8 };

// Returns the scene body of a row's flags.
export const sceneBodyOf = (flags: number): number => flags & 0xffffff;

export class World {
  private readonly sceneBodies = new Map<number, number>();

  constructor(readonly core: Core, readonly handle: number) {}

  static fromName(core: Core, name: string): World {
    const text = core.place("name", new TextEncoder().encode(name + "\0"));
    return new World(core, core.make("orrery_world_from_name", text));
  }

  static fromScene(core: Core, scene: Uint8Array): World {
    const at = core.place("scene", scene);
    return new World(core, core.make("orrery_world_from_bytes", at, BigInt(scene.length)));
  }

  destroy(): void { this.core.run("orrery_world_destroy", this.handle); }

  info(): WorldInfo {
    const at = this.core.struct(STRUCTS.world_info);
    this.core.call("orrery_get_world_info", this.handle, at);
    return STRUCTS.world_info.read(this.core.view, at);
  }

  body(id: number): Body {
    const at = this.core.struct(STRUCTS.body);
    this.core.call("orrery_get_body", this.handle, id, at);
    return STRUCTS.body.read(this.core.view, at);
  }

  part(id: number, index: number): Part {
    const at = this.core.struct(STRUCTS.part);
    this.core.call("orrery_get_part", this.handle, id, index, at);
    const part = STRUCTS.part.read(this.core.view, at);
    return { ...part, ...this.surface(id, index, part.vertices, part.triangles) };
  }

  private surface(id: number, index: number, vertices: number, triangles: number) {
    if (triangles === 0) return { points: new Float64Array(), faces: new Uint32Array() };
    const points = this.core.slot("points", vertices * 24);
    const faces = this.core.slot("faces", triangles * 12);
    this.core.call("orrery_get_surface", this.handle, id, index, points, vertices, faces,
                   triangles);
    const memory = this.core.view.buffer;
    return { points: new Float64Array(memory.slice(points, points + vertices * 24)),
             faces: new Uint32Array(memory.slice(faces, faces + triangles * 12)) };
  }

  // Returns the springs, tethers and joints of the scene.
  links(): Link[] {
    const links: Link[] = [];
    const at = this.core.struct(STRUCTS.link);
    while (this.core.call("orrery_get_link", this.handle, links.length, at) !== Code.END) {
      links.push(STRUCTS.link.read(this.core.view, at));
    }
    return links;
  }

  // Returns energy, momentum and angular momentum.
  totals(): Totals {
    const at = this.core.struct(STRUCTS.totals);
    this.core.call("orrery_get_totals", this.handle, at);
    return STRUCTS.totals.read(this.core.view, at);
  }

  // Compares all bodies with those of another world.
  compare(other: World): Difference {
    const at = this.core.struct(STRUCTS.difference);
    this.core.call("orrery_worlds_compare", this.handle, other.handle, at);
    return STRUCTS.difference.read(this.core.view, at);
  }

  // Flips a bit of a field of a body.
  flipBit(body: number, field: string, bit: number): void {
    const name = this.core.place("name", new TextEncoder().encode(field + "\0"));
    this.core.call("orrery_world_flip_bit", this.handle, body, name, bit);
  }

  // Returns the ids of all bodies.
  ids(): Uint32Array {
    const count = this.info().bodies;
    const at = this.core.slot("ids", count * 4 + 4);
    this.core.call("orrery_world_ids", this.handle, at, count);
    return new Uint32Array(this.core.view.buffer.slice(at, at + count * 4));
  }

  // Returns position, orientation, velocity and angular velocity of a body: 13 numbers.
  state(id: number): Float64Array {
    const ids = this.core.slot("id", 4);
    this.core.view.setUint32(ids, id, true);
    const at = this.core.slot("state", 13 * 8);
    this.core.call("orrery_world_read", this.handle, ids, What.STATE, at, 13 * 8, 1);
    return new Float64Array(this.core.view.buffer.slice(at, at + 13 * 8));
  }

  // Returns the rows that the page draws.
  rows(): ArrayBuffer {
    const ids = this.ids();
    const at = this.core.slot("rows", ids.length * ROW.BYTES + 4);
    this.core.call("orrery_world_read", this.handle, 0, What.POSE, at, ROW.BYTES, ids.length);
    const rows = this.core.view.buffer.slice(at, at + ids.length * ROW.BYTES) as ArrayBuffer;
    const words = new Uint32Array(rows);
    ids.forEach((id, i) => {
      words[i * ROW.WORDS + ROW.ID] = id;
      words[i * ROW.WORDS + ROW.FLAGS] = this.sceneBodyOf(id);
    });
    return rows;
  }

  // Returns the body of the scene that a body is or copies.
  sceneBodyOf(id: number): number {
    let found = this.sceneBodies.get(id);
    if (found === undefined) this.sceneBodies.set(id, found = this.body(id).scene_body);
    return found;
  }

  // Casts a ray. Returns the first hit, or null.
  cast(origin: number[], along: number[]): Hit | null {
    const ray = this.core.struct(STRUCTS.ray, { origin, along });
    const hit = this.core.structs(STRUCTS.hit, [{}], "hit");
    this.core.call("orrery_world_cast_rays", this.handle, ray, hit, 1);
    const found = STRUCTS.hit.read(this.core.view, hit);
    return found.hits ? found : null;
  }

  // Returns the hits among the `count` events of the last tick.
  hits(count: number): Event[] {
    if (count === 0) return [];
    const { size } = STRUCTS.event;
    const at = this.core.structs(STRUCTS.event, Array.from({ length: count }, () => ({})),
                                 "events");
    this.core.call("orrery_world_events", this.handle, at, count);
    const { view } = this.core;
    return Array.from({ length: count }, (_, i) => at + i * size)
      .filter((event) => view.getInt32(event + STRUCTS.event.offsets.kind, true) === HIT)
      .map((event) => STRUCTS.event.read(view, event));
  }

  // Returns the image of the state.
  save(): Uint8Array { return this.bytesOf("orrery_world_save", "image"); }

  // Returns the bytes that a function writes into a buffer. It gives their number first.
  private bytesOf(name: string, slot: string): Uint8Array {
    const size = this.core.slot("size", 8);
    this.core.run(name, this.handle, 0, 0n, size);
    const bytes = Number(this.core.view.getBigUint64(size, true));
    const at = this.core.slot(slot, bytes);
    this.core.call(name, this.handle, at, BigInt(bytes), size);
    return this.core.bytes.slice(at, at + bytes);
  }

  restore(image: Uint8Array): void {
    const at = this.core.place("image", image);
    this.core.call("orrery_world_restore", this.handle, at, BigInt(image.length));
  }

  // Advances the world by one tick.
  step(commands: Command[]): void {
    const at = this.core.structs(STRUCTS.command, commands, "commands");
    this.core.call("orrery_world_step", this.handle, commands.length ? at : 0, commands.length);
  }
}
