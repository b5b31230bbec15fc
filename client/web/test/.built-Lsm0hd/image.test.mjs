// test/image.test.ts
import assert from "node:assert/strict";
import { test } from "node:test";

// src/xxh3.ts
var MASK = (1n << 64n) - 1n;
var P32 = [0x9E3779B1n, 0x85EBCA77n, 0xC2B2AE3Dn];
var P64 = [
  0x9E3779B185EBCA87n,
  0xC2B2AE3D27D4EB4Fn,
  0x165667B19E3779F9n,
  0x85EBCA77C2B2AE63n,
  0x27D4EB2F165667C5n
];
var STRIPE = 64;
var SECRET = view(Uint8Array.from(
  "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e".match(/../g).map((digits) => parseInt(digits, 16))
));
function view(bytes) {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
function accumulate(acc, data, at, secret) {
  for (let i = 0; i < 8; ++i) {
    const value = data.getBigUint64(at + 8 * i, true);
    const key = value ^ SECRET.getBigUint64(secret + 8 * i, true);
    acc[i ^ 1] = acc[i ^ 1] + value & MASK;
    acc[i] = acc[i] + (key & 0xFFFFFFFFn) * (key >> 32n) & MASK;
  }
}
function scramble(acc, secret) {
  for (let i = 0; i < 8; ++i) {
    const mixed = acc[i] ^ acc[i] >> 47n ^ SECRET.getBigUint64(secret + 8 * i, true);
    acc[i] = mixed * P32[0] & MASK;
  }
}
function avalanche(hash) {
  hash = (hash ^ hash >> 37n) * 0x165667919E3779F9n & MASK;
  return hash ^ hash >> 32n;
}
function xxh3(bytes) {
  if (bytes.length <= 240) throw new RangeError("xxh3 takes more than 240 bytes");
  const data = view(bytes);
  const acc = [P32[2], P64[0], P64[1], P64[2], P64[3], P32[1], P64[4], P32[0]];
  const perBlock = (SECRET.byteLength - STRIPE) / 8;
  const stripes = Math.floor((bytes.length - 1) / STRIPE);
  for (let n = 0; n < stripes; ++n) {
    accumulate(acc, data, n * STRIPE, n % perBlock * 8);
    if (n % perBlock === perBlock - 1) scramble(acc, SECRET.byteLength - STRIPE);
  }
  accumulate(acc, data, bytes.length - STRIPE, SECRET.byteLength - STRIPE - 7);
  let sum = BigInt(bytes.length) * P64[0] & MASK;
  for (let i = 0; i < 8; i += 2) {
    const product = (acc[i] ^ SECRET.getBigUint64(11 + 8 * i, true)) * (acc[i + 1] ^ SECRET.getBigUint64(19 + 8 * i, true));
    sum = sum + (product & MASK ^ product >> 64n) & MASK;
  }
  return avalanche(sum);
}

// src/image.ts
var FIELDS = [
  "position.x",
  "position.y",
  "position.z",
  "velocity.x",
  "velocity.y",
  "velocity.z",
  "angular_momentum.x",
  "angular_momentum.y",
  "angular_momentum.z",
  "orientation.x",
  "orientation.y",
  "orientation.z",
  "orientation.w"
];
var CLIENT_BYTES = 34;
var THRUST_BYTES = 32;
var OTHER_SLOT_BYTES = 14;
var SLOT_OF_ID = 1048575;
var Image = class _Image {
  // offset of the first array
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.slots = this.view.getUint32(16, true);
    let at = 52;
    at += 4 + CLIENT_BYTES * this.view.getUint32(at, true);
    at += 4 + THRUST_BYTES * this.view.getUint32(at, true);
    at += 8 * Math.ceil(this.slots / 64);
    at += 4 + OTHER_SLOT_BYTES * this.view.getUint32(at, true);
    this.state = at;
  }
  bytes;
  view;
  slots;
  state;
  offset(slot, field) {
    return this.state + 8 * (field * this.slots + slot);
  }
  number(slot, field) {
    return this.view.getFloat64(this.offset(slot, field), true);
  }
  // Returns a copy in which one bit of a field differs. Bit 0 is the lowest of the mantissa.
  flipped(body, field, bit) {
    const copy = new _Image(this.bytes.slice());
    const at = copy.offset(body & SLOT_OF_ID, FIELDS.indexOf(field));
    copy.view.setBigUint64(at, copy.view.getBigUint64(at, true) ^ 1n << BigInt(bit), true);
    const end = copy.bytes.length - 8;
    copy.view.setBigUint64(end, xxh3(copy.bytes.subarray(0, end)), true);
    return copy;
  }
  // Returns the first slot and field whose bits differ, or null.
  difference(other) {
    for (let slot = 0; slot < this.slots; ++slot) {
      for (let field = 0; field < FIELDS.length; ++field) {
        const at = this.offset(slot, field);
        if (this.view.getBigUint64(at, true) !== other.view.getBigUint64(at, true)) {
          return { slot, field };
        }
      }
    }
    return null;
  }
};

// src/layout.ts
var BYTES = { u8: 1, char: 1, u16: 2, u32: 4, i32: 4, u64: 8, tick: 8, f32: 4, f64: 8 };
function get(view2, type, at) {
  switch (type) {
    case "u8":
      return view2.getUint8(at);
    case "u16":
      return view2.getUint16(at, true);
    case "u32":
      return view2.getUint32(at, true);
    case "i32":
      return view2.getInt32(at, true);
    case "u64":
      return view2.getBigUint64(at, true);
    case "tick":
      return Number(view2.getBigUint64(at, true));
    case "f32":
      return view2.getFloat32(at, true);
    case "f64":
      return view2.getFloat64(at, true);
  }
}
function set(view2, type, at, value) {
  switch (type) {
    case "u8":
      return view2.setUint8(at, Number(value));
    case "u16":
      return view2.setUint16(at, Number(value), true);
    case "u32":
      return view2.setUint32(at, Number(value), true);
    case "i32":
      return view2.setInt32(at, Number(value), true);
    case "u64":
    case "tick":
      return view2.setBigUint64(at, BigInt(value), true);
    case "f32":
      return view2.setFloat32(at, Number(value), true);
    case "f64":
      return view2.setFloat64(at, Number(value), true);
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
  read(view2, at) {
    const values = {};
    for (const [name, field] of Object.entries(this.fields)) {
      const from = at + this.offsets[name];
      if (typeof field === "string") {
        values[name] = get(view2, field, from);
      } else if (field[0] === "char") {
        values[name] = decodeText(new Uint8Array(view2.buffer, from, field[1]));
      } else {
        const type = field[0];
        values[name] = Array.from(
          { length: field[1] },
          (_, i) => get(view2, type, from + i * BYTES[type])
        );
      }
    }
    return values;
  }
  // Writes the struct at an address: its size, the values, and 0 everywhere else.
  write(view2, at, values = {}) {
    new Uint8Array(view2.buffer, at, this.size).fill(0);
    view2.setUint32(at, this.size, true);
    for (const [name, value] of Object.entries(values)) {
      const field = this.fields[name];
      const [type] = typeof field === "string" ? [field] : field;
      const list = Array.isArray(value) ? value : [value];
      list.forEach((item, i) => set(view2, type, at + this.offsets[name] + i * BYTES[type], item));
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
    const view2 = this.view;
    values.forEach((item, i) => layout.write(view2, at + i * layout.size, item));
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

// test/image.test.ts
var core = loadCore();
for (const scene of ["playground", "boxes:30", "free:200", "ragdolls:9"]) {
  test(`${scene}: the checksum of its image is XXH3`, () => {
    const world = World.fromName(core, scene);
    for (let i = 0; i < 3; ++i) world.step([]);
    const image = world.save();
    const end = image.length - 8;
    assert.equal(xxh3(image.subarray(0, end)), new DataView(image.buffer).getBigUint64(end, true));
    world.destroy();
  });
}
test("each field of a body can be found and broken", () => {
  const world = World.fromName(core, "playground");
  for (let i = 0; i < 30; ++i) world.step([]);
  const image = new Image(world.save());
  const body = 36;
  const state = world.state(body);
  for (const [i, place] of [[0, 0], [1, 1], [2, 2], [3, 7], [4, 8], [5, 9], [9, 3], [12, 6]]) {
    assert.equal(image.number(body, i), state[place], FIELDS[i]);
  }
  const other = World.fromName(core, "playground");
  FIELDS.forEach((field, i) => {
    const broken = image.flipped(body, field, 3);
    assert.deepEqual(image.difference(broken), { slot: body, field: i });
    other.restore(broken.bytes);
    assert.equal(other.info().tick, 30);
    assert.notEqual(other.info().hash, world.info().hash, field);
  });
  assert.equal(image.difference(image), null);
  other.restore(image.bytes);
  assert.equal(other.info().hash, world.info().hash);
});
test("an image with a wrong checksum is refused", () => {
  const world = World.fromName(core, "playground");
  const image = world.save();
  image[100] ^= 1;
  assert.throws(() => world.restore(image), /image/);
});
