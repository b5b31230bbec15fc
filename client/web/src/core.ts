// Loads the wasm module, passes memory to its functions, and turns its errors into exceptions.
import { decodeText, STRUCTS, type Of, type Struct } from "./layout";

type Arg = number | bigint;
type AnyStruct = Struct<any>;

// The results of orrery.h that the page distinguishes.
export const Code = { END: 1, MORE: 2, SHORT_BUFFER: -4, NOT_FOUND: -5, OTHER_RULES: -10,
                      NOT_READY: -18, BUSY: -19 };

// An error that a function returned. Its message is the sentence of the library.
export class CoreError extends Error {
  constructor(readonly code: number, message: string) { super(message); }
}

// A fault after which the module cannot be used: a failed assertion, or memory that ran out.
export class CoreFault extends Error {}

// The module with its memory. Buffers are kept by name and only grow, so that calls in a frame
// reserve no memory.
export class Core {
  readonly versions: Of<typeof STRUCTS.versions>;
  private readonly slots = new Map<string, { at: number, size: number }>();

  constructor(private readonly exports: Record<string, any>) {
    exports._initialize();
    const at = this.struct(STRUCTS.versions);
    this.check(0, this.run("orrery_version", at));
    this.versions = STRUCTS.versions.read(this.view, at);
  }

  // Compiles the module: its bytes, or its address. From an address, it compiles while it arrives.
  static async load(module: string | ArrayBuffer): Promise<Core> {
    const { instance } = typeof module === "string"
      ? await WebAssembly.instantiateStreaming(fetch(module), {})
      : await WebAssembly.instantiate(module, {});
    return new Core(instance.exports);
  }

  // Return a new view of the memory. A call may replace the memory, so keep no view across calls.
  get view(): DataView { return new DataView(this.exports.memory.buffer); }
  get bytes(): Uint8Array { return new Uint8Array(this.exports.memory.buffer); }

  // Calls a function for a handle. Returns its code, if this is not an error.
  call(name: string, handle: number, ...args: Arg[]): number {
    return this.check(handle, this.run(name, handle, ...args));
  }

  // Calls a function, and returns its result.
  run(name: string, ...args: Arg[]): number {
    try {
      return this.exports[name](...args);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      const why = decodeText(this.bytes.subarray(this.exports.orrery_fault()));
      throw new CoreFault(why || error.message);
    }
  }

  // Throws the error of the last call with a handle, if `code` is one.
  check(handle: number, code: number): number {
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
  make(name: string, ...args: Arg[]): number {
    const out = this.slot("made", 4);
    const why = this.slot("why", 512);
    const code = this.run(name, ...args, out, why, 512);
    if (code < 0) throw new CoreError(code, decodeText(this.bytes.subarray(why, why + 512)));
    return this.view.getUint32(out, true);
  }

  // Calls a function that fills a struct, its last argument. Returns the struct.
  get<S extends AnyStruct>(layout: S, name: string, handle: number, ...args: Arg[]): Of<S> {
    const at = this.struct(layout);
    this.call(name, handle, ...args, at);
    return layout.read(this.view, at) as Of<S>;
  }

  // Calls a function that fills an array of `count` structs. Returns the structs.
  list<S extends AnyStruct>(layout: S, name: string, handle: number, count: number,
                            ...args: Arg[]): Of<S>[] {
    if (count === 0) return [];
    const at = this.structs(layout, Array.from({ length: count }, () => ({})), "list");
    this.call(name, handle, ...args, at, count);
    return Array.from({ length: count }, (_, i) =>
      layout.read(this.view, at + i * layout.size) as Of<S>);
  }

  // Returns the address of a buffer of at least `size` bytes. A name has one buffer, which moves
  // when it grows.
  slot(name: string, size: number): number {
    const old = this.slots.get(name);
    if (old && old.size >= size) return old.at;
    if (old) this.run("free", old.at);
    const at = this.run("malloc", size);
    if (at === 0) throw new CoreFault("memory ran out");
    this.slots.set(name, { at, size });
    return at;
  }

  // Frees a buffer that is needed rarely.
  drop(name: string): void {
    const old = this.slots.get(name);
    if (old) this.run("free", old.at);
    this.slots.delete(name);
  }

  // Copies bytes into a buffer. Returns its address.
  place(name: string, bytes: Uint8Array): number {
    const at = this.slot(name, Math.max(bytes.length, 1));
    this.bytes.set(bytes, at);
    return at;
  }

  // Writes an array of structs into a buffer. Returns its address.
  structs(layout: AnyStruct, values: object[], name = "structs"): number {
    const at = this.slot(name, Math.max(1, values.length) * layout.size);
    const view = this.view;
    values.forEach((item, i) => layout.write(view, at + i * layout.size, item));
    return at;
  }

  // Writes one struct into a buffer. Returns its address.
  struct(layout: AnyStruct, values: object = {}): number {
    return this.structs(layout, [values], "struct");
  }
}
