// Reads and writes the structs of orrery.h in the memory of the module.

type Scalar = "u8" | "u16" | "u32" | "i32" | "u64" | "tick" | "f32" | "f64";
type Field = Scalar | readonly [Scalar | "char", number];

type Value<F> = F extends "u64" ? bigint
  : F extends Scalar ? number
  : F extends readonly ["char", number] ? string
  : number[];
type Values<F> = { [K in keyof F]: Value<F[K]> };

// A `tick` is a u64 that fits a number of JavaScript.
const BYTES = { u8: 1, char: 1, u16: 2, u32: 4, i32: 4, u64: 8, tick: 8, f32: 4, f64: 8 };

function get(view: DataView, type: Scalar, at: number): number | bigint {
  switch (type) {
    case "u8": return view.getUint8(at);
    case "u16": return view.getUint16(at, true);
    case "u32": return view.getUint32(at, true);
    case "i32": return view.getInt32(at, true);
    case "u64": return view.getBigUint64(at, true);
    case "tick": return Number(view.getBigUint64(at, true));
    case "f32": return view.getFloat32(at, true);
    case "f64": return view.getFloat64(at, true);
  }
}

function set(view: DataView, type: Scalar, at: number, value: number | bigint): void {
  switch (type) {
    case "u8": return view.setUint8(at, Number(value));
    case "u16": return view.setUint16(at, Number(value), true);
    case "u32": return view.setUint32(at, Number(value), true);
    case "i32": return view.setInt32(at, Number(value), true);
    case "u64": case "tick": return view.setBigUint64(at, BigInt(value), true);
    case "f32": return view.setFloat32(at, Number(value), true);
    case "f64": return view.setFloat64(at, Number(value), true);
  }
}

// Decodes text that ends with a zero byte, or with the bytes.
export function decodeText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(bytes.subarray(0, end < 0 ? bytes.length : end));
}

// The layout of a struct, with the alignment rules of C. Its first field is its size.
export class Struct<F extends Record<string, Field>> {
  readonly offsets: { [name: string]: number } = {};
  readonly size: number;

  constructor(readonly fields: F) {
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

  // Reads the struct at an address.
  read(view: DataView, at: number): Values<F> {
    const values: Record<string, unknown> = {};
    for (const [name, field] of Object.entries(this.fields)) {
      const from = at + this.offsets[name];
      if (typeof field === "string") {
        values[name] = get(view, field, from);
      } else if (field[0] === "char") {
        values[name] = decodeText(new Uint8Array(view.buffer, from, field[1]));
      } else {
        const type = field[0];
        values[name] = Array.from({ length: field[1] },
                                  (_, i) => get(view, type, from + i * BYTES[type]));
      }
    }
    return values as Values<F>;
  }

  // Writes the struct at an address: its size, the values, and 0 everywhere else.
  write(view: DataView, at: number, values: Partial<Values<F>> = {}): void {
    new Uint8Array(view.buffer, at, this.size).fill(0);
    view.setUint32(at, this.size, true);
    for (const [name, value] of Object.entries(values)) {
      const field = this.fields[name];
      const [type] = typeof field === "string" ? [field] : field;
      const list = (Array.isArray(value) ? value : [value]) as (number | bigint)[];
      list.forEach((item, i) =>
        set(view, type as Scalar, at + this.offsets[name] + i * BYTES[type], item));
    }
  }
}

// The structs of orrery.h that the page uses, in the same order.
export const STRUCTS = {
  versions: new Struct({ major: "u32", minor: "u32", patch: "u32", rules: "u32", protocol: "u32",
                         log_format: "u32", reserved: "u32" }),
  command: new Struct({ kind: "i32", client: "u32", sequence: "u32", subject: "u32", role: "i32",
                        first: ["f32", 3], second: ["f32", 3], account: "u64", control: "i32",
                        reserved: "u32" }),
  world_info: new Struct({ bodies: "u32", tick: "tick", hash: "u64", tick_time: "f64",
                           tick_rate: "u32", scene_bodies: "u32", applied: "u32", events: "u32",
                           scene: ["char", 72] }),
  body: new Struct({ kind: "i32", control: "i32", scene_body: "u32", parts: "u32", color: "i32",
                     owner: "u64", mass: "f64", half_extents: ["f64", 3], name: ["char", 72] }),
  part: new Struct({ kind: "i32", sensor: "u32", vertices: "u32", triangles: "u32",
                     reserved: "u32", position: ["f64", 3], orientation: ["f64", 4],
                     half_extents: ["f64", 3], radius: "f64", half_length: "f64" }),
  ray: new Struct({ ignores: "u32", ignored: "u32", reserved: "u32", origin: ["f64", 3],
                    along: ["f64", 3] }),
  hit: new Struct({ hits: "u32", body: "u32", part: "u32", fraction: "f64", position: ["f64", 3],
                    normal: ["f64", 3] }),
  event: new Struct({ kind: "i32", a: "u32", b: "u32", part_a: "u32", part_b: "u32",
                      speed: "f64", position: ["f64", 3], normal: ["f64", 3] }),
  link: new Struct({ kind: "i32", a: "u32", b: "u32", at_a: ["f64", 3], at_b: ["f64", 3] }),
  totals: new Struct({ in_si: "u32", energy: "f64", momentum: ["f64", 3],
                       angular_momentum: ["f64", 3] }),
  difference: new Struct({ bodies: "u32", distance: "f64", a: "f64", b: "f64", body: "u32",
                           field: ["char", 20] }),
  client_options: new Struct({ follow: "u32", events: "u32", admin: "u32", watch: "u32",
                               plain: "u32", reconnect: "f64", command_min: "f64",
                               command_max: "f64" }),
  address: new Struct({ port: "u16", reserved: "u16", ip: ["u8", 16] }),
  client_info: new Struct({ phase: "i32", failure: "i32", wants_token: "u32", has_scene: "u32",
                            client: "u32", role: "i32", tick_rate: "u32", tick_time: "f64",
                            epoch: "u64", scene: ["char", 72], problem: ["char", 256],
                            account: "u64" }),
  client_stats: new Struct({ diverged: "u32", round_trip: "f64", jitter: "f64", loss: "f64",
                             frame_delay: "f64", command_slack: "f64", margin: "f64",
                             commands: "tick", late_reports: "tick", bytes_received: "tick",
                             datagrams_received: "tick", events_missed: "tick", hitches: "tick",
                             jumps: "tick", connections: "tick", ticks_checked: "tick",
                             first_divergent_tick: "tick", refused: "tick",
                             refusals_missed: "tick" }),
  frame: new Struct({ bodies: "u32", tick: "f64" }),
  log_info: new Struct({ rules: "u32", tick_rate: "u32", segments: "u32", first_tick: "tick",
                         last_tick: "tick", lost_ticks: "tick", lost_bytes: "tick",
                         initial_hash: "u64", scene_bytes: "tick",
                         kept_bytes: "tick", closed: "u32", damaged: "u32",
                         session: ["u8", 16], scene: ["char", 72], build: ["char", 264],
                         fault: ["char", 256] }),
  record: new Struct({ commands: "u32", tick: "tick", hash: "u64" }),
  verification: new Struct({ diverged: "u32", first_divergent_tick: "tick", ticks: "tick",
                             verified: "tick" }),
};

export type Of<S> = S extends Struct<infer F> ? Values<F> : never;
