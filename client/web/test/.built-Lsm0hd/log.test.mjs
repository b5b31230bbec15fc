// test/log.test.ts
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
function view(bytes2) {
  return new DataView(bytes2.buffer, bytes2.byteOffset, bytes2.byteLength);
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
function xxh3(bytes2) {
  if (bytes2.length <= 240) throw new RangeError("xxh3 takes more than 240 bytes");
  const data = view(bytes2);
  const acc = [P32[2], P64[0], P64[1], P64[2], P64[3], P32[1], P64[4], P32[0]];
  const perBlock = (SECRET.byteLength - STRIPE) / 8;
  const stripes = Math.floor((bytes2.length - 1) / STRIPE);
  for (let n = 0; n < stripes; ++n) {
    accumulate(acc, data, n * STRIPE, n % perBlock * 8);
    if (n % perBlock === perBlock - 1) scramble(acc, SECRET.byteLength - STRIPE);
  }
  accumulate(acc, data, bytes2.length - STRIPE, SECRET.byteLength - STRIPE - 7);
  let sum = BigInt(bytes2.length) * P64[0] & MASK;
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
  constructor(bytes2) {
    this.bytes = bytes2;
    this.view = new DataView(bytes2.buffer, bytes2.byteOffset, bytes2.byteLength);
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
function decodeText(bytes2) {
  const end = bytes2.indexOf(0);
  return new TextDecoder().decode(bytes2.subarray(0, end < 0 ? bytes2.length : end));
}
var Struct = class {
  constructor(fields) {
    this.fields = fields;
    let end = 4;
    let alignment = 4;
    for (const [name, field] of Object.entries(fields)) {
      const [type, count] = typeof field === "string" ? [field, 1] : field;
      const bytes2 = BYTES[type];
      this.offsets[name] = Math.ceil(end / bytes2) * bytes2;
      end = this.offsets[name] + bytes2 * count;
      alignment = Math.max(alignment, bytes2);
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
    const bytes2 = Number(this.core.view.getBigUint64(size, true));
    const at = this.core.slot("image", bytes2);
    this.core.call("orrery_world_save", this.handle, at, BigInt(bytes2), size);
    return this.core.bytes.slice(at, at + bytes2);
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

// src/break.ts
var TICKS = 600;
var STATE_NUMBERS = 13;
function compare(a, b) {
  let distance = 0;
  let bodies = 0;
  for (let at = 0; at < Math.min(a.length, b.length); at += STATE_NUMBERS) {
    let differs = false;
    for (let i = at; i < at + STATE_NUMBERS; ++i) differs ||= a[i] !== b[i];
    if (!differs) continue;
    ++bodies;
    distance = Math.max(
      distance,
      Math.hypot(a[at] - b[at], a[at + 1] - b[at + 1], a[at + 2] - b[at + 2])
    );
  }
  return { distance, bodies };
}
function* breakSession(core2, log, world, fault) {
  const tick = world.info().tick;
  const scene = log.scene();
  const image = world.save();
  const sound = World.fromScene(core2, scene);
  const broken = World.fromScene(core2, scene);
  try {
    sound.restore(image);
    broken.restore(new Image(image).flipped(fault.body, fault.field, fault.bit).bytes);
    const found = describe(sound, broken);
    const points = [{ tick, ...compare(sound.states(), broken.states()) }];
    const records = log.recordsAfter(tick);
    for (let n = 1; n <= TICKS; ++n) {
      const commands = records.next().value?.commands ?? [];
      sound.step(commands);
      broken.step(commands);
      points.push({ tick: tick + n, ...compare(sound.states(), broken.states()) });
      yield { tick, ...found, points, done: n === TICKS };
    }
  } finally {
    sound.destroy();
    broken.destroy();
  }
}
function describe(sound, broken) {
  const [a, b] = [new Image(sound.save()), new Image(broken.save())];
  const at = a.difference(b);
  if (!at) throw new Error("the changed world equals the other: the bit has no effect");
  const body = sound.ids().find((id) => (id & 1048575) === at.slot) ?? at.slot;
  return {
    body,
    field: FIELDS[at.field],
    before: a.number(at.slot, at.field),
    after: b.number(at.slot, at.field)
  };
}

// src/core.ts
var Code = {
  END: 1,
  SHORT_BUFFER: -4,
  NOT_FOUND: -5,
  BAD_LOG: -9,
  OTHER_RULES: -10,
  DIVERGED: -11,
  NOT_READY: -18,
  BUSY: -19
};
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
  place(name, bytes2) {
    const at = this.slot(name, Math.max(bytes2.length, 1));
    this.bytes.set(bytes2, at);
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

// src/log.ts
var Log = class {
  constructor(core2, bytes2) {
    this.core = core2;
    const at = core2.place("log", bytes2);
    try {
      this.handle = core2.make("orrery_log_from_bytes", at, BigInt(bytes2.length));
    } finally {
      core2.drop("log");
    }
  }
  core;
  handle;
  world = null;
  destroy() {
    this.core.run("orrery_log_destroy", this.handle);
  }
  info() {
    const at = this.core.struct(STRUCTS.log_info);
    this.core.call("orrery_get_log_info", this.handle, at);
    return STRUCTS.log_info.read(this.core.view, at);
  }
  // Returns the binary form of the scene.
  scene() {
    const size = this.info().scene_bytes;
    const at = this.core.slot("scene", size);
    this.core.call("orrery_log_scene", this.handle, at, BigInt(size));
    return this.core.bytes.slice(at, at + size);
  }
  // Moves the log's world to the state after a tick, and returns it.
  seek(tick) {
    const out = this.core.slot("world", 4);
    this.core.call("orrery_log_seek", this.handle, BigInt(tick), out);
    const handle = this.core.view.getUint32(out, true);
    if (this.world?.handle !== handle) this.world = new World(this.core, handle);
    return this.world;
  }
  // Verifies some ticks. Returns the progress, and true at the end.
  verify(ticks, restart) {
    const at = this.core.struct(STRUCTS.verification);
    const code = this.core.call("orrery_log_verify", this.handle, ticks, restart ? 1 : 0, at);
    return [STRUCTS.verification.read(this.core.view, at), code === Code.END];
  }
  // Yields each tick after `tick`, with its commands, in order.
  *recordsAfter(tick) {
    this.core.call("orrery_log_rewind", this.handle);
    const record = this.core.structs(STRUCTS.record, [{}], "record");
    for (let now = this.info().first_tick - 1; now < tick; ) {
      const code = this.core.call("orrery_log_next", this.handle, record, 0, 0);
      if (code === Code.END) return;
      now = STRUCTS.record.read(this.core.view, record).tick;
    }
    for (let commands = this.next(record); commands; commands = this.next(record)) {
      yield { tick: STRUCTS.record.read(this.core.view, record).tick, commands };
    }
  }
  // Reads the commands of the next record. Returns null at the end.
  next(record, capacity = 64) {
    const at = this.core.structs(
      STRUCTS.command,
      Array.from({ length: capacity }, () => ({})),
      "commands"
    );
    const code = this.core.run("orrery_log_next", this.handle, record, at, capacity);
    const count = STRUCTS.record.read(this.core.view, record).commands;
    if (code === Code.SHORT_BUFFER && count > capacity) return this.next(record, count);
    if (this.core.check(this.handle, code) === Code.END) return null;
    return Array.from({ length: count }, (_, i) => STRUCTS.command.read(this.core.view, at + i * STRUCTS.command.size));
  }
};

// src/describe.ts
function describeScene(world) {
  const info = world.info();
  const bodies = Array.from({ length: info.scene_bodies }, (_, id) => {
    const body = world.body(id);
    return { ...body, shapes: Array.from({ length: body.parts }, (_2, i) => world.part(id, i)) };
  });
  return { name: info.scene, tickRate: info.tick_rate, tickTime: info.tick_time, bodies };
}

// src/track.ts
var BYTES_MAX = 128 << 20;
var SPACING = 4;
var Track = class {
  samples = [];
  spacing = SPACING;
  bytes = 0;
  // Collects the poses. It yields after each sample. When the memory is full, it keeps every other
  // sample.
  *collect(log, last) {
    for (let tick = 0; tick <= last; tick = this.samples.length * this.spacing) {
      const rows = log.seek(tick).rows();
      this.samples.push(rows);
      this.bytes += rows.byteLength;
      if (this.bytes > BYTES_MAX) this.thin();
      yield;
    }
  }
  thin() {
    this.samples = this.samples.filter((_, i) => i % 2 === 0);
    this.spacing *= 2;
    this.bytes = this.samples.reduce((sum, rows) => sum + rows.byteLength, 0);
  }
  // Returns the sample at or before a tick, or null if there is none yet.
  near(tick) {
    const index = Math.floor(tick / this.spacing);
    const rows = this.samples[index];
    return rows ? { tick: index * this.spacing, rows: rows.slice(0) } : null;
  }
};

// src/recording.ts
var STEP_MS_MAX = 12;
var VERIFY_TICKS = 20;
var Recording = class {
  constructor(core2, bytes2, name) {
    this.core = core2;
    this.name = name;
    this.log = new Log(core2, bytes2);
    this.info = this.log.info();
    this.spare = new Log(core2, bytes2);
    this.target = 0;
    this.world = this.log.seek(0);
  }
  core;
  name;
  selected = null;
  log;
  spare;
  // the same log, for the jobs
  info;
  track = new Track();
  world;
  target;
  dragging = false;
  speed = 0;
  // ticks of the log for each tick of time
  at = 0;
  // the moment of playback, in ticks
  drawnAt = 0;
  // when the last frame was drawn
  stepMs = 0.1;
  // cost of a tick
  changed = true;
  destroy() {
    this.log.destroy();
    this.spare.destroy();
  }
  scene() {
    const world = World.fromScene(this.core, this.log.scene());
    try {
      return describeScene(world);
    } finally {
      world.destroy();
    }
  }
  facts() {
    const { last_tick: last, tick_rate: tickRate, rules } = this.info;
    return {
      name: this.name,
      first: 0,
      last,
      tickRate,
      fault: this.fault(),
      marks: this.marks(),
      otherRules: rules !== this.core.versions.rules
    };
  }
  // Returns the fault of the log. A log that is only not closed yet has none.
  fault() {
    const { damaged, lost_bytes: lost, fault } = this.log.info();
    return damaged || lost > 0 ? fault : "";
  }
  marks() {
    const marks = [];
    for (const { tick, commands } of this.log.recordsAfter(0)) {
      const kinds = new Set(commands.map((command) => markOf(command.kind)));
      for (const kind of kinds) marks.push({ tick, kind });
    }
    return marks;
  }
  // Shows another tick. While somebody drags, an older pose may be shown.
  seek(tick, dragging) {
    this.target = Math.min(Math.max(Math.round(tick), 0), this.info.last_tick);
    this.at = this.target;
    this.dragging = dragging;
    this.changed = true;
  }
  play(speed) {
    if (speed > 0 && this.target === this.info.last_tick) this.seek(0, false);
    this.speed = speed;
    this.at = this.target;
    this.drawnAt = performance.now();
    this.dragging = false;
    this.changed = true;
  }
  frame() {
    if (this.speed !== 0) this.advance();
    const sample = this.dragging || this.speed < 0 ? this.track.near(this.target) : null;
    const changed = this.changed;
    if (changed && !sample) this.step(this.target);
    this.changed = false;
    const exact = !sample;
    const tick = sample ? sample.tick : this.target;
    const hash = exact ? hex(this.world.info().hash) : "";
    const rows = !changed ? null : sample ? sample.rows : this.world.rows();
    return {
      tick,
      rows,
      exact,
      live: false,
      speed: this.speed,
      hash,
      selected: exact ? numbersOf(this.world, this.selected) : null
    };
  }
  // Moves the target as far as the time since the last frame, and as the machine can step.
  advance() {
    const now = performance.now();
    const ticks = (now - this.drawnAt) / 1e3 * this.info.tick_rate * this.speed;
    const most = Math.max(1, STEP_MS_MAX / this.stepMs);
    this.drawnAt = now;
    this.at += this.speed > 0 ? Math.min(ticks, most) : ticks;
    const tick = Math.min(Math.max(Math.floor(this.at), 0), this.info.last_tick);
    this.changed ||= tick !== this.target;
    this.target = tick;
    const end = this.speed > 0 ? this.info.last_tick : 0;
    if (tick === end) this.speed = 0;
  }
  step(tick) {
    const before = this.world.info().tick;
    const start = performance.now();
    this.world = this.log.seek(tick);
    const steps = tick - before;
    if (steps > 0) this.stepMs = (performance.now() - start) / steps;
  }
  pick(origin, along) {
    const hit = this.world.cast(origin, along);
    return hit && { body: hit.body, point: hit.position };
  }
  // Collects the poses for scrubbing.
  collect() {
    return this.track.collect(this.spare, this.info.last_tick);
  }
  // Compares every state with the log.
  *verify(report) {
    for (let restart = true, ended = false; !ended; restart = false) {
      let found;
      [found, ended] = this.log.verify(VERIFY_TICKS, restart);
      report({
        ticks: found.verified,
        last: this.info.last_tick,
        done: ended,
        divergent: found.diverged ? found.first_divergent_tick : null,
        fault: ended ? this.fault() : ""
      });
      yield;
    }
  }
  // Flips a bit at the present tick.
  *break(fault, report) {
    this.speed = 0;
    this.step(this.target);
    for (const broken of breakSession(this.core, this.spare, this.world, fault)) {
      if (broken.done || broken.points.length % 20 === 0) report(broken);
      yield;
    }
  }
};
function numbersOf(world, body) {
  if (body === null) return null;
  try {
    return { id: body, numbers: world.state(body) };
  } catch (error) {
    if (error instanceof CoreError && error.code === Code.NOT_FOUND) return null;
    throw error;
  }
}
var hex = (hash) => "0x" + hash.toString(16).padStart(16, "0");
function markOf(kind) {
  if (kind >= 9) return "join";
  return kind >= 3 && kind <= 5 ? "grab" : "other";
}

// test/support.ts
import { readFileSync } from "node:fs";
import { join } from "node:path";
var root = (path) => join(process.env.ORRERY_ROOT, path);
function loadCore() {
  const module = new WebAssembly.Module(readFileSync(process.env.ORRERY_WASM));
  return new Core(new WebAssembly.Instance(module, {}).exports);
}
function goldenLog(core2) {
  const path = `tests/golden/logs/rules-${core2.versions.rules}-format-4.orrery`;
  return new Uint8Array(readFileSync(root(path)));
}

// test/log.test.ts
var core = loadCore();
var bytes = goldenLog(core);
var LAST = 620;
test("stepping the commands of the records gives the states of the log", () => {
  const log = new Log(core, bytes);
  const world = World.fromScene(core, log.scene());
  const start = 250;
  world.restore(log.seek(start).save());
  for (const { tick, commands } of log.recordsAfter(start)) {
    world.step(commands);
    if (tick % 50 === 0) assert.equal(world.info().hash, log.seek(tick).info().hash, `${tick}`);
  }
  assert.equal(world.info().tick, LAST);
});
test("records begin after the given tick", () => {
  const log = new Log(core, bytes);
  for (const tick of [0, 1, 300, LAST - 1]) {
    assert.equal(log.recordsAfter(tick).next().value.tick, tick + 1);
  }
  assert.equal(log.recordsAfter(LAST).next().done, true);
});
test("a recording shows any tick, and says so", () => {
  const recording = new Recording(core, bytes, "golden");
  const facts = recording.facts();
  assert.equal(facts.last, LAST);
  assert.ok(facts.marks.some(({ kind }) => kind === "join"));
  const log = new Log(core, bytes);
  recording.selected = 3;
  for (const tick of [400, 10, 620, 0]) {
    recording.seek(tick, false);
    const frame = recording.frame();
    const world = log.seek(tick);
    assert.equal(frame.tick, tick);
    assert.deepEqual(new Uint8Array(frame.rows), new Uint8Array(world.rows()));
    assert.deepEqual(frame.selected.numbers, world.state(3));
    assert.equal(BigInt(frame.hash), world.info().hash);
    assert.equal(recording.frame().rows, null);
  }
  recording.seek(9999, false);
  assert.equal(recording.frame().tick, LAST);
});
test("while somebody drags, the poses of the track are shown", () => {
  const recording = new Recording(core, bytes, "golden");
  recording.seek(401, true);
  assert.equal(recording.frame().exact, true);
  const job = recording.collect();
  while (!job.next().done) ;
  recording.seek(401, true);
  const frame = recording.frame();
  assert.deepEqual([frame.exact, frame.tick], [false, 400]);
  const exact = new Log(core, bytes).seek(400).rows();
  assert.deepEqual(new Uint8Array(frame.rows), new Uint8Array(exact));
  recording.seek(401, false);
  assert.equal(recording.frame().tick, 401);
});
function verify(log) {
  const seen = [];
  const job = new Recording(core, log, "").verify((verified) => seen.push(verified));
  while (!job.next().done) ;
  return seen;
}
test("a log verifies, with progress", () => {
  const seen = verify(bytes);
  assert.ok(seen.length > 10);
  assert.deepEqual(seen.at(-1), { ticks: LAST, last: LAST, done: true, divergent: null, fault: "" });
  assert.ok(seen.slice(0, -1).every(({ done }) => !done));
});
test("a damaged log does not verify to its end", () => {
  const damaged = bytes.slice();
  damaged[bytes.length >> 1] ^= 1;
  const end = verify(damaged).at(-1);
  assert.ok(end.ticks < LAST && end.fault !== "", JSON.stringify(end));
});
test("bytes that are no log get one sentence", () => {
  assert.throws(
    () => new Recording(core, new TextEncoder().encode("no log"), ""),
    (error) => error instanceof CoreError && /^the log /.test(error.message)
  );
});
test("a broken bit is named, and the worlds part", () => {
  const log = new Log(core, bytes);
  const fault = { body: 7, field: "velocity.y", bit: 30 };
  let last = null;
  for (const broken of breakSession(core, log, log.seek(100), fault)) last = broken;
  assert.deepEqual([last.tick, last.body, last.field], [100, 7, "velocity.y"]);
  assert.equal(last.before, log.seek(100).state(7)[8]);
  assert.notEqual(last.before, last.after);
  assert.equal(last.points.length, 601);
  assert.deepEqual([last.points[0].bodies, last.points[0].distance], [1, 0]);
  assert.ok(last.points[10].distance > 0);
});
test("rows have the ids and the scene bodies", () => {
  const world = new Log(core, bytes).seek(300);
  const words = new Uint32Array(world.rows());
  assert.deepEqual(
    [...world.ids()],
    Array.from({ length: words.length / ROW.WORDS }, (_, i) => words[i * ROW.WORDS + ROW.ID])
  );
});
