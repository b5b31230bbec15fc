// A world of the module: facts, bodies, shapes, numbers, rays, images and steps.
import { Code, Core } from "./core";
import { STRUCTS, type Of } from "./layout";
import type { Rights } from "./messages";

export type WorldInfo = Of<typeof STRUCTS.world_info>;
export type Body = Of<typeof STRUCTS.body>;
export type Hit = Of<typeof STRUCTS.hit>;
export type Event = Of<typeof STRUCTS.event>;
export type Command = Of<typeof STRUCTS.command>;
export type Link = Of<typeof STRUCTS.link>;
export type Key = Of<typeof STRUCTS.key>;
export type Totals = Of<typeof STRUCTS.totals>;
export type Difference = Of<typeof STRUCTS.difference>;

// The kinds of orrery.h.
export const BodyKind = { RIGID: 0, POINT: 1, ANCHOR: 2, KINEMATIC: 3 };
export const Control = { NOBODY: 0, ANYONE: 1, OWNER: 2 };
export const PartKind = { SPHERE: 0, CAPSULE: 1, BOX: 2, HULL: 3, PLANE: 4, HEIGHT_FIELD: 5,
                          MESH: 6 };
export const CommandKind = { THRUST: 0, TORQUE: 1, IMPULSE: 2, GRAB: 3, MOVE: 4, RELEASE: 5,
                             SPAWN: 6, REMOVE: 7, SET_PARAMETER: 8, JOIN: 9, LEAVE: 10,
                             SET_CONTROL: 11, DISOWN: 12, SET_VELOCITY: 13, MOVE_TO: 14, PLACE: 15,
                             SET_MOTOR: 16, SET_TARGET: 17, SET_VALUE: 18, MESSAGE: 19, TELL: 20,
                             SET_FILTER: 21, SET_GRAVITY_SCALE: 22, KICK: 23, BAN: 24 };
export const LinkKind = { SPRING: 0, TETHER: 1, DISTANCE: 2 };  // later ones hold points together
const HIT = 4;  // kind of an event

// The numbers of a body that orrery_world_flip_bit() can change.
export const FIELDS = [
  ...["position", "velocity", "angular_momentum"].flatMap((vector) =>
    ["x", "y", "z"].map((axis) => `${vector}.${axis}`)),
  ...["x", "y", "z", "w"].map((axis) => `orientation.${axis}`),
];

// Numbers of orrery_world_read() and orrery_client_read(): position 1, orientation 2, velocity 4,
// angular velocity 8, identity 16; 256: as binary64.
const What = { STATE: 1 | 2 | 4 | 8 | 256, ROW: 1 | 2 | 16 };

// A part of a body, with its surface if it has one.
export type Part = Of<typeof STRUCTS.part> & { points: Float64Array, faces: Uint32Array };

// A row that the page draws: position and orientation as binary32, the id, and the scene body.
export const ROW = { WORDS: 9, BYTES: 36, ID: 7, SCENE_BODY: 8 };

// Returns the rows of all bodies, from orrery_world_read() or orrery_client_read().
export function readRows(core: Core, name: string, bodies: number, handle: number,
                         ...args: number[]): ArrayBuffer {
  const at = core.slot("rows", bodies * ROW.BYTES + 4);
  core.call(name, handle, ...args, What.ROW, at, ROW.BYTES, bodies);
  return core.view.buffer.slice(at, at + bodies * ROW.BYTES) as ArrayBuffer;
}

export class World {
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
    return this.core.get(STRUCTS.world_info, "orrery_get_world_info", this.handle);
  }

  // Returns the ids of all bodies.
  ids(): Uint32Array {
    const { bodies } = this.info();
    const at = this.core.slot("ids", 4 * bodies + 4);
    this.core.call("orrery_world_ids", this.handle, at, bodies);
    return new Uint32Array(this.core.view.buffer.slice(at, at + 4 * bodies));
  }

  body(id: number): Body {
    return this.core.get(STRUCTS.body, "orrery_get_body", this.handle, id);
  }

  // Returns the clients that may command a body now.
  rights(id: number): Rights {
    const { core } = this;
    const { offsets } = STRUCTS.body;
    const at = core.struct(STRUCTS.body);
    core.call("orrery_get_body", this.handle, id, at);
    return { control: core.view.getInt32(at + offsets.control, true),
             owner: core.view.getBigUint64(at + offsets.owner, true) };
  }

  part(id: number, index: number): Part {
    const part = this.core.get(STRUCTS.part, "orrery_get_part", this.handle, id, index);
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

  // Returns the keys that the scene maps to commands.
  keys(): { key: Key, pressed: Command, released: Command }[] {
    const keys = [];
    const { core } = this;
    for (;;) {
      const at = core.structs(STRUCTS.key, [{}], "key");
      const pressed = core.structs(STRUCTS.command, [{}, {}], "key commands");
      const released = pressed + STRUCTS.command.size;
      const code = core.call("orrery_get_key", this.handle, keys.length, at, pressed, released);
      if (code === Code.END) return keys;
      const [a, b] = [pressed, released].map((each) => STRUCTS.command.read(core.view, each));
      keys.push({ key: STRUCTS.key.read(core.view, at), pressed: a, released: b });
    }
  }

  // Returns the bytes of the values of the session, as an array of STRUCTS.value.
  valueBytes(): Uint8Array {
    const { core } = this;
    const count = core.slot("count", 4);
    core.run("orrery_world_values", this.handle, 0, 0, count);  // gives the count first
    const values = core.view.getUint32(count, true);
    if (values === 0) return new Uint8Array();
    const at = core.structs(STRUCTS.value, Array(values).fill({}), "values");
    core.call("orrery_world_values", this.handle, at, values, count);
    return core.bytes.slice(at, at + values * STRUCTS.value.size);
  }

  // Returns energy, momentum and angular momentum.
  totals(): Totals {
    return this.core.get(STRUCTS.totals, "orrery_get_totals", this.handle);
  }

  // Compares all bodies with those of another world.
  compare(other: World): Difference {
    return this.core.get(STRUCTS.difference, "orrery_worlds_compare", this.handle, other.handle);
  }

  // Flips a bit of a field of a body.
  flipBit(body: number, field: string, bit: number): void {
    const name = this.core.place("name", new TextEncoder().encode(field + "\0"));
    this.core.call("orrery_world_flip_bit", this.handle, body, name, bit);
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
    return readRows(this.core, "orrery_world_read", this.info().bodies, this.handle, 0);
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
    return this.core.list(STRUCTS.event, "orrery_world_events", this.handle, count)
      .filter(({ kind }) => kind === HIT);
  }

  // Returns the `count` commands of the last tick that changed something.
  applied(count: number): Command[] {
    return this.core.list(STRUCTS.command, "orrery_world_applied", this.handle, count);
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
