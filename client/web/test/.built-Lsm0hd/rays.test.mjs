// test/rays.test.ts
import assert from "node:assert/strict";
import { test } from "node:test";

// src/describe.ts
function describeScene(world) {
  const info = world.info();
  const bodies = Array.from({ length: info.scene_bodies }, (_, id) => {
    const body = world.body(id);
    return { ...body, shapes: Array.from({ length: body.parts }, (_2, i) => world.part(id, i)) };
  });
  return { name: info.scene, tickRate: info.tick_rate, tickTime: info.tick_time, bodies };
}

// src/layout.ts
var BYTES = { u8: 1, char: 1, u16: 2, u32: 4, i32: 4, u64: 8, tick: 8, f32: 4, f64: 8 };
function get(view, type, at) {
  switch (type) {
    case "u8":
      return view.getUint8(at);
    case "u16":
      return view.getUint16(at, true);
    case "u32":
      return view.getUint32(at, true);
    case "i32":
      return view.getInt32(at, true);
    case "u64":
      return view.getBigUint64(at, true);
    case "tick":
      return Number(view.getBigUint64(at, true));
    case "f32":
      return view.getFloat32(at, true);
    case "f64":
      return view.getFloat64(at, true);
  }
}
function set(view, type, at, value) {
  switch (type) {
    case "u8":
      return view.setUint8(at, Number(value));
    case "u16":
      return view.setUint16(at, Number(value), true);
    case "u32":
      return view.setUint32(at, Number(value), true);
    case "i32":
      return view.setInt32(at, Number(value), true);
    case "u64":
    case "tick":
      return view.setBigUint64(at, BigInt(value), true);
    case "f32":
      return view.setFloat32(at, Number(value), true);
    case "f64":
      return view.setFloat64(at, Number(value), true);
  }
}
function decodeText(bytes) {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(bytes.subarray(0, end < 0 ? bytes.length : end));
}
var Struct = class {
  constructor(fields) {
    this.fields = fields;
    let end = 4;
    let alignment = 4;
    for (const [name, field] of Object.entries(fields)) {
      const [type, count] = typeof field === "string" ? [field, 1] : field;
      const bytes = BYTES[type];
      this.offsets[name] = Math.ceil(end / bytes) * bytes;
      end = this.offsets[name] + bytes * count;
      alignment = Math.max(alignment, bytes);
    }
    this.size = Math.ceil(end / alignment) * alignment;
  }
  fields;
  offsets = {};
  size;
  // Reads the struct at an address.
  read(view, at) {
    const values = {};
    for (const [name, field] of Object.entries(this.fields)) {
      const from = at + this.offsets[name];
      if (typeof field === "string") {
        values[name] = get(view, field, from);
      } else if (field[0] === "char") {
        values[name] = decodeText(new Uint8Array(view.buffer, from, field[1]));
      } else {
        const type = field[0];
        values[name] = Array.from(
          { length: field[1] },
          (_, i) => get(view, type, from + i * BYTES[type])
        );
      }
    }
    return values;
  }
  // Writes the struct at an address: its size, the values, and 0 everywhere else.
  write(view, at, values = {}) {
    new Uint8Array(view.buffer, at, this.size).fill(0);
    view.setUint32(at, this.size, true);
    for (const [name, value] of Object.entries(values)) {
      const field = this.fields[name];
      const [type] = typeof field === "string" ? [field] : field;
      const list = Array.isArray(value) ? value : [value];
      list.forEach((item, i) => set(view, type, at + this.offsets[name] + i * BYTES[type], item));
    }
  }
};
var STRUCTS = {
  versions: new Struct({
    major: "u32",
    minor: "u32",
    patch: "u32",
    rules: "u32",
    protocol: "u32",
    log_format: "u32",
    reserved: "u32"
  }),
  command: new Struct({
    kind: "i32",
    client: "u32",
    sequence: "u32",
    subject: "u32",
    role: "i32",
    first: ["f32", 3],
    second: ["f32", 3]
  }),
  world_info: new Struct({
    bodies: "u32",
    tick: "tick",
    hash: "u64",
    tick_time: "f64",
    tick_rate: "u32",
    scene_bodies: "u32",
    applied: "u32",
    events: "u32",
    scene: ["char", 72]
  }),
  body: new Struct({
    kind: "i32",
    control: "i32",
    owner: "u32",
    scene_body: "u32",
    parts: "u32",
    mass: "f64",
    half_extents: ["f64", 3],
    name: ["char", 72],
    color: "i32",
    reserved: "u32"
  }),
  part: new Struct({
    kind: "i32",
    sensor: "u32",
    vertices: "u32",
    triangles: "u32",
    reserved: "u32",
    position: ["f64", 3],
    orientation: ["f64", 4],
    half_extents: ["f64", 3],
    radius: "f64",
    half_length: "f64"
  }),
  ray: new Struct({
    ignores: "u32",
    ignored: "u32",
    reserved: "u32",
    origin: ["f64", 3],
    along: ["f64", 3]
  }),
  hit: new Struct({
    hits: "u32",
    body: "u32",
    part: "u32",
    fraction: "f64",
    position: ["f64", 3],
    normal: ["f64", 3]
  }),
  event: new Struct({
    kind: "i32",
    a: "u32",
    b: "u32",
    part_a: "u32",
    part_b: "u32",
    speed: "f64",
    position: ["f64", 3],
    normal: ["f64", 3]
  }),
  client_options: new Struct({
    follow: "u32",
    events: "u32",
    admin: "u32",
    watch: "u32",
    reserved: "u32",
    reconnect: "f64",
    command_min: "f64",
    command_max: "f64"
  }),
  address: new Struct({ port: "u16", reserved: "u16", ip: ["u8", 16] }),
  client_info: new Struct({
    phase: "i32",
    failure: "i32",
    wants_token: "u32",
    has_scene: "u32",
    client: "u32",
    role: "i32",
    tick_rate: "u32",
    tick_time: "f64",
    epoch: "u64",
    scene: ["char", 72],
    problem: ["char", 256]
  }),
  client_stats: new Struct({
    diverged: "u32",
    round_trip: "f64",
    jitter: "f64",
    loss: "f64",
    frame_delay: "f64",
    command_slack: "f64",
    margin: "f64",
    commands: "tick",
    late_reports: "tick",
    bytes_received: "tick",
    datagrams_received: "tick",
    events_missed: "tick",
    hitches: "tick",
    jumps: "tick",
    connections: "tick",
    ticks_checked: "tick",
    first_divergent_tick: "tick"
  }),
  frame: new Struct({ bodies: "u32", tick: "f64" }),
  shown_body: new Struct({ id: "u32", scene_body: "u32", quality: "i32" }),
  log_info: new Struct({
    rules: "u32",
    tick_rate: "u32",
    segments: "u32",
    first_tick: "tick",
    last_tick: "tick",
    lost_ticks: "tick",
    lost_bytes: "tick",
    initial_hash: "u64",
    scene_bytes: "tick",
    closed: "u32",
    damaged: "u32",
    session: ["u8", 16],
    scene: ["char", 72],
    build: ["char", 264],
    fault: ["char", 256]
  }),
  record: new Struct({ commands: "u32", tick: "tick", hash: "u64" }),
  verification: new Struct({
    diverged: "u32",
    first_divergent_tick: "tick",
    ticks: "tick",
    verified: "tick"
  })
};

// src/world.ts
var BodyKind = { RIGID: 0, POINT: 1, ANCHOR: 2, KINEMATIC: 3 };
var PartKind = {
  SPHERE: 0,
  CAPSULE: 1,
  BOX: 2,
  HULL: 3,
  PLANE: 4,
  HEIGHT_FIELD: 5,
  MESH: 6
};
var What = {
  POSITION: 1,
  ORIENTATION: 2,
  VELOCITY: 4,
  ANGULAR_VELOCITY: 8,
  DOUBLE: 256,
  STATE: 1 | 2 | 4 | 8 | 256,
  POSE: 1 | 2
};
var ROW = { WORDS: 9, BYTES: 36, ID: 7, FLAGS: 8 };
var sceneBodyOf = (flags) => flags & 16777215;
var World = class _World {
  constructor(core2, handle) {
    this.core = core2;
    this.handle = handle;
  }
  core;
  handle;
  sceneBodies = /* @__PURE__ */ new Map();
  static fromName(core2, name) {
    const text = core2.place("name", new TextEncoder().encode(name + "\0"));
    return new _World(core2, core2.make("orrery_world_from_name", text));
  }
  static fromScene(core2, scene) {
    const at = core2.place("scene", scene);
    return new _World(core2, core2.make("orrery_world_from_bytes", at, BigInt(scene.length)));
  }
  destroy() {
    this.core.run("orrery_world_destroy", this.handle);
  }
  info() {
    const at = this.core.struct(STRUCTS.world_info);
    this.core.call("orrery_get_world_info", this.handle, at);
    return STRUCTS.world_info.read(this.core.view, at);
  }
  body(id) {
    const at = this.core.struct(STRUCTS.body);
    this.core.call("orrery_get_body", this.handle, id, at);
    return STRUCTS.body.read(this.core.view, at);
  }
  part(id, index) {
    const at = this.core.struct(STRUCTS.part);
    this.core.call("orrery_get_part", this.handle, id, index, at);
    const part = STRUCTS.part.read(this.core.view, at);
    return { ...part, ...this.surface(id, index, part.vertices, part.triangles) };
  }
  surface(id, index, vertices, triangles) {
    if (triangles === 0) return { points: new Float64Array(), faces: new Uint32Array() };
    const points = this.core.slot("points", vertices * 24);
    const faces = this.core.slot("faces", triangles * 12);
    this.core.call(
      "orrery_get_surface",
      this.handle,
      id,
      index,
      points,
      vertices,
      faces,
      triangles
    );
    const memory = this.core.view.buffer;
    return {
      points: new Float64Array(memory.slice(points, points + vertices * 24)),
      faces: new Uint32Array(memory.slice(faces, faces + triangles * 12))
    };
  }
  // Returns the ids of all bodies.
  ids() {
    const count = this.info().bodies;
    const at = this.core.slot("ids", count * 4 + 4);
    this.core.call("orrery_world_ids", this.handle, at, count);
    return new Uint32Array(this.core.view.buffer.slice(at, at + count * 4));
  }
  // Returns position, orientation, velocity and angular velocity of a body: 13 numbers.
  state(id) {
    const ids = this.core.slot("id", 4);
    this.core.view.setUint32(ids, id, true);
    const at = this.core.slot("state", 13 * 8);
    this.core.call("orrery_world_read", this.handle, ids, What.STATE, at, 13 * 8, 1);
    return new Float64Array(this.core.view.buffer.slice(at, at + 13 * 8));
  }
  // Returns the same for all bodies, in the order of ids().
  states() {
    const count = this.info().bodies;
    const at = this.core.slot("states", count * 13 * 8 + 8);
    this.core.call("orrery_world_read", this.handle, 0, What.STATE, at, 13 * 8, count);
    return new Float64Array(this.core.view.buffer.slice(at, at + count * 13 * 8));
  }
  // Returns the rows that the page draws.
  rows() {
    const ids = this.ids();
    const at = this.core.slot("rows", ids.length * ROW.BYTES + 4);
    this.core.call("orrery_world_read", this.handle, 0, What.POSE, at, ROW.BYTES, ids.length);
    const rows = this.core.view.buffer.slice(at, at + ids.length * ROW.BYTES);
    const words = new Uint32Array(rows);
    ids.forEach((id, i) => {
      words[i * ROW.WORDS + ROW.ID] = id;
      words[i * ROW.WORDS + ROW.FLAGS] = this.sceneBodyOf(id);
    });
    return rows;
  }
  sceneBodyOf(id) {
    let found = this.sceneBodies.get(id);
    if (found === void 0) this.sceneBodies.set(id, found = this.body(id).scene_body);
    return found;
  }
  // Casts a ray. Returns the first hit, or null.
  cast(origin, along) {
    const ray = this.core.struct(STRUCTS.ray, { origin, along });
    const hit = this.core.structs(STRUCTS.hit, [{}], "hit");
    this.core.call("orrery_world_cast_rays", this.handle, ray, hit, 1);
    const found = STRUCTS.hit.read(this.core.view, hit);
    return found.hits ? found : null;
  }
  // Returns the image of the state.
  save() {
    const size = this.core.slot("size", 8);
    this.core.run("orrery_world_save", this.handle, 0, 0n, size);
    const bytes = Number(this.core.view.getBigUint64(size, true));
    const at = this.core.slot("image", bytes);
    this.core.call("orrery_world_save", this.handle, at, BigInt(bytes), size);
    return this.core.bytes.slice(at, at + bytes);
  }
  restore(image) {
    const at = this.core.place("image", image);
    this.core.call("orrery_world_restore", this.handle, at, BigInt(image.length));
  }
  // Advances the world by one tick.
  step(commands) {
    const at = this.core.structs(STRUCTS.command, commands, "commands");
    this.core.call("orrery_world_step", this.handle, commands.length ? at : 0, commands.length);
  }
};

// src/view/rays.ts
var dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
var add = (a, b, scale = 1) => [a[0] + scale * b[0], a[1] + scale * b[1], a[2] + scale * b[2]];
var cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
function rotate(q, v, sign = 1) {
  const u = [sign * q[0], sign * q[1], sign * q[2]];
  const t = cross(u, v).map((x) => 2 * x);
  return add(add(v, t, q[3]), cross(u, t));
}
function toLocal(ray, position, orientation) {
  return {
    origin: rotate(orientation, add(ray.origin, position, -1), -1),
    along: rotate(orientation, ray.along, -1)
  };
}
function hitSphere({ origin, along }, radius) {
  const a = dot(along, along), b = dot(origin, along), c = dot(origin, origin) - radius * radius;
  const root = b * b - a * c;
  const at = (-b - Math.sqrt(root)) / a;
  return root >= 0 && at >= 0 ? at : Infinity;
}
function hitBox({ origin, along }, half) {
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
function hitCapsule(ray, radius, half) {
  const { origin: o, along: d } = ray;
  const a = d[0] * d[0] + d[2] * d[2], b = o[0] * d[0] + o[2] * d[2];
  const root = b * b - a * (o[0] * o[0] + o[2] * o[2] - radius * radius);
  const at = (-b - Math.sqrt(root)) / a;
  const side = root >= 0 && at >= 0 && Math.abs(o[1] + at * d[1]) <= half ? at : Infinity;
  const cap = (y) => hitSphere({ origin: [o[0], o[1] - y, o[2]], along: d }, radius);
  return Math.min(side, cap(half), cap(-half));
}
function hitPlane({ origin, along }) {
  const at = -origin[1] / along[1];
  return along[1] < 0 && at >= 0 ? at : Infinity;
}
function hitSurface({ origin, along }, { points, faces }) {
  const corner = (i) => [points[3 * i], points[3 * i + 1], points[3 * i + 2]];
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
function hitPart(ray, part) {
  const local = toLocal(ray, part.position, part.orientation);
  switch (part.kind) {
    case PartKind.SPHERE:
      return hitSphere(local, part.radius);
    case PartKind.CAPSULE:
      return hitCapsule(local, part.radius, part.half_length);
    case PartKind.BOX:
      return hitBox(local, part.half_extents);
    case PartKind.PLANE:
      return hitPlane(local);
    default:
      return hitSurface(local, part);
  }
}
function hitBody(ray, body) {
  if (body.shapes.length > 0) return Math.min(...body.shapes.map((part) => hitPart(ray, part)));
  const half = body.half_extents.map((x) => x || 0.05);
  return body.kind === BodyKind.POINT ? hitSphere(ray, half[0]) : hitBox(ray, half);
}
function pickShown(bodies, rows, origin, along) {
  const numbers = new Float32Array(rows), words = new Uint32Array(rows);
  let best = 1, found = null;
  for (let at = 0; at < numbers.length; at += ROW.WORDS) {
    const body = bodies[sceneBodyOf(words[at + ROW.FLAGS])];
    if (!body) continue;
    const position = [numbers[at], numbers[at + 1], numbers[at + 2]];
    const ray = toLocal({ origin, along }, position, numbers.subarray(at + 3, at + 7));
    const fraction = hitBody(ray, body);
    if (fraction > best || fraction === Infinity) continue;
    best = fraction;
    found = { body: words[at + ROW.ID], point: add(origin, along, fraction) };
  }
  return found;
}

// test/support.ts
import { readFileSync } from "node:fs";

// src/core.ts
var CoreError = class extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
  code;
};
var CoreFault = class extends Error {
};
var Core = class _Core {
  constructor(exports) {
    this.exports = exports;
    exports._initialize();
    const at = this.struct(STRUCTS.versions);
    this.check(0, this.run("orrery_version", at));
    this.versions = STRUCTS.versions.read(this.view, at);
  }
  exports;
  versions;
  slots = /* @__PURE__ */ new Map();
  // Compiles the module while it arrives.
  static async load(url) {
    const { instance } = await WebAssembly.instantiateStreaming(fetch(url), {});
    return new _Core(instance.exports);
  }
  // The memory. It may be another one after each call.
  get view() {
    return new DataView(this.exports.memory.buffer);
  }
  get bytes() {
    return new Uint8Array(this.exports.memory.buffer);
  }
  // Calls a function for a handle. Returns its code, if this is not an error.
  call(name, handle, ...args) {
    return this.check(handle, this.run(name, handle, ...args));
  }
  // Calls a function, and returns its result.
  run(name, ...args) {
    try {
      return this.exports[name](...args);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      const why = decodeText(this.bytes.subarray(this.exports.orrery_fault()));
      throw new CoreFault(why || error.message);
    }
  }
  // Throws the error of the last call with a handle, if `code` is one.
  check(handle, code) {
    if (code >= 0) return code;
    const at = this.slot("error", 512);
    this.run("orrery_last_error", handle, at, 512);
    let text = decodeText(this.bytes.subarray(at, at + 512));
    if (!text) {
      this.run("orrery_code_text", code, at, 512);
      text = decodeText(this.bytes.subarray(at, at + 512));
    }
    throw new CoreError(code, text);
  }
  // Calls a function that makes a handle.
  make(name, ...args) {
    const out = this.slot("made", 4);
    const why = this.slot("why", 512);
    const code = this.run(name, ...args, out, why, 512);
    if (code < 0) throw new CoreError(code, decodeText(this.bytes.subarray(why, why + 512)));
    return this.view.getUint32(out, true);
  }
  // Returns the address of a buffer of at least `size` bytes. A name has one buffer, which moves
  // when it grows.
  slot(name, size) {
    const old = this.slots.get(name);
    if (old && old.size >= size) return old.at;
    if (old) this.run("free", old.at);
    const at = this.run("malloc", size);
    if (at === 0) throw new CoreFault("memory ran out");
    this.slots.set(name, { at, size });
    return at;
  }
  // Frees a buffer that is needed rarely.
  drop(name) {
    const old = this.slots.get(name);
    if (old) this.run("free", old.at);
    this.slots.delete(name);
  }
  // Copies bytes into a buffer. Returns its address.
  place(name, bytes) {
    const at = this.slot(name, Math.max(bytes.length, 1));
    this.bytes.set(bytes, at);
    return at;
  }
  // Writes an array of structs into a buffer. Returns its address.
  structs(layout, values, name = "structs") {
    const at = this.slot(name, Math.max(1, values.length) * layout.size);
    const view = this.view;
    values.forEach((item, i) => layout.write(view, at + i * layout.size, item));
    return at;
  }
  // Writes one struct into a buffer. Returns its address.
  struct(layout, values = {}) {
    return this.structs(layout, [values], "struct");
  }
};

// test/support.ts
function loadCore() {
  const module = new WebAssembly.Module(readFileSync(process.env.ORRERY_WASM));
  return new Core(new WebAssembly.Instance(module, {}).exports);
}
function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = Math.imul(state ^ state >>> 15, 739982445) + 2654435769 >>> 0;
    return (state ^ state >>> 13) / 2 ** 32;
  };
}

// test/rays.test.ts
var core = loadCore();
var SEED = 20261126;
for (const scene of ["playground", "jumble:60", "mesh:40", "ragdolls:4", "boxes:40"]) {
  test(`${scene}: a ray hits the same body at the same point (seed ${SEED})`, () => {
    const { bodies } = describeScene(World.fromName(core, scene));
    const world = World.fromName(core, scene);
    for (let i = 0; i < 20; ++i) world.step([]);
    const rows = world.rows();
    const places = new Float32Array(rows);
    const random = randomNumbers(SEED);
    const around = (size) => [0, 0, 0].map(() => size * (random() - 0.5));
    let hits = 0;
    for (let n = 0; n < 400; ++n) {
      const at = 9 * Math.floor(random() * places.length / 9);
      const aim = around(1).map((x, i) => x + places[at + i]);
      const from = around(6).map((x, i) => aim[i] + x);
      const along = aim.map((x, i) => 2 * (x - from[i]));
      const theirs = world.cast(from, along);
      if (theirs && theirs.normal.every((x) => x === 0)) continue;
      const ours = pickShown(bodies, rows, from, along);
      const near = theirs && ours && Math.hypot(...theirs.position.map((x, i) => x - ours.point[i])) < 1e-4;
      assert.ok(
        near || !theirs && !ours || isGraze(world, from, along),
        `ray ${n}: ${JSON.stringify([from, along, theirs, ours])}`
      );
      hits += Number(near);
    }
    assert.ok(hits > 100, `${hits} hits`);
  });
}
function isGraze(world, from, along) {
  const found = [-1e-4, 0, 1e-4].flatMap((x) => [-1e-4, 0, 1e-4].map((y) => {
    const hit = world.cast([from[0] + x, from[1] + y, from[2] + x - y], along);
    return hit ? `${hit.body} ${hit.part} ${hit.fraction.toFixed(2)}` : "none";
  }));
  return new Set(found).size > 1;
}
