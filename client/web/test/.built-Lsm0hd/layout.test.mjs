// test/layout.test.ts
import assert from "node:assert/strict";
import { readFileSync as readFileSync2 } from "node:fs";
import { test } from "node:test";

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

// test/support.ts
import { readFileSync } from "node:fs";
import { join } from "node:path";

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
var root = (path) => join(process.env.ORRERY_ROOT, path);
function loadCore() {
  const module = new WebAssembly.Module(readFileSync(process.env.ORRERY_WASM));
  return new Core(new WebAssembly.Instance(module, {}).exports);
}

// test/layout.test.ts
var TYPES = {
  uint8_t: ["u8"],
  uint16_t: ["u16"],
  uint32_t: ["u32"],
  int32_t: ["i32"],
  uint64_t: ["u64", "tick"],
  float: ["f32"],
  double: ["f64"],
  char: ["char"]
};
function declared(header2, name) {
  const found = new RegExp(`typedef struct orrery_${name} \\{([^}]*)\\}`).exec(header2);
  assert.ok(found, `the header has no orrery_${name}`);
  const fields = found[1].replace(/\/\/.*/g, "").split(";").map((line) => line.trim());
  return fields.filter((line) => line !== "").map((line) => {
    const [, type, field, count] = /^(\w+) (\w+)(?:\[(\d+)\])?$/.exec(line);
    return [field, type, Number(count ?? 1)];
  }).slice(1);
}
var header = readFileSync2(root("client/api/orrery.h"), "utf8");
for (const [name, layout] of Object.entries(STRUCTS)) {
  test(`orrery_${name} has the fields of the header`, () => {
    const ours = Object.entries(layout.fields).map(([field, kind]) => [field, ...typeof kind === "string" ? [kind, 1] : kind]);
    const theirs = declared(header, name);
    assert.deepEqual(
      ours.map(([field, , count]) => [field, count]),
      theirs.map(([field, , count]) => [field, count])
    );
    ours.forEach(([field, type], i) => assert.ok(TYPES[theirs[i][1]].includes(type), `${field} is a ${theirs[i][1]}`));
  });
}
test("sizes are those of the library, which refuses others", () => {
  const core = loadCore();
  const at = core.slot("test", 4096);
  core.view.setUint32(at, STRUCTS.versions.size - 4, true);
  assert.ok(core.run("orrery_version", at) < 0);
  core.view.setUint32(at, STRUCTS.versions.size, true);
  assert.equal(core.run("orrery_version", at), 0);
});
test("values that were written are read again", () => {
  const view = new DataView(new ArrayBuffer(256));
  const values = {
    kind: 3,
    client: 2,
    sequence: 1,
    subject: 4294967295,
    role: -1,
    first: [1, 2, 3],
    second: [-1.5, 0, 0.25]
  };
  STRUCTS.command.write(view, 8, values);
  assert.deepEqual(STRUCTS.command.read(view, 8), values);
  assert.equal(view.getUint32(8, true), 48);
});
