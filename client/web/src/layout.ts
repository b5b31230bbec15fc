// Reads and writes the structs of orrery.h in the memory of the module.
import { FIELDS } from "../generated/structs";

type Scalar = "u8" | "u16" | "u32" | "i32" | "u64" | "tick" | "f32" | "f64";
type Field = Scalar | readonly [Scalar | "char", number];

type Value<F> = F extends "u64" ? bigint
  : F extends Scalar ? number
  : F extends readonly ["char", number] ? string
  : F extends readonly ["u8", number] ? Uint8Array
  : number[];
type Values<F> = { -readonly [K in keyof F]: Value<F[K]> };

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

// Returns bytes of a value, message or notice as text, or their number if they are none.
export function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return `(${bytes.length} bytes)`;
  }
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
      } else if (field[0] === "u8") {
        values[name] = new Uint8Array(view.buffer.slice(from, from + field[1]));
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
      const list = (Array.isArray(value) || value instanceof Uint8Array ? [...value] : [value]) as
        (number | bigint)[];
      list.forEach((item, i) =>
        set(view, type as Scalar, at + this.offsets[name] + i * BYTES[type], item));
    }
  }
}

// The structs of orrery.h.
export const STRUCTS = Object.fromEntries(
  Object.entries(FIELDS).map(([name, fields]) => [name, new Struct(fields)])) as unknown as
  { [N in keyof typeof FIELDS]: Struct<typeof FIELDS[N]> };

export type Of<S> = S extends Struct<infer F> ? Values<F> : never;
