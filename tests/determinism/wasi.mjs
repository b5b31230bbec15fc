// Implements the few WASI system calls that matrix_program needs, for node, browsers and jsc.

class Exit {
  constructor(code) {
    this.code = code;
  }
}

// Runs a WASI program with the arguments, which are ASCII like its output. Returns its exit code
// and its output.
export async function run(bytes, args) {
  const output = { 1: "", 2: "" };
  let memory;
  const view = () => new DataView(memory.buffer);

  // Writes argv: pointers from `table` on, zero-terminated strings from `text` on.
  const encoded = args.map((a) => Uint8Array.from(a + "\0", (c) => c.charCodeAt(0)));
  const known = {
    args_sizes_get(count, size) {
      view().setUint32(count, encoded.length, true);
      view().setUint32(size, encoded.reduce((sum, e) => sum + e.length, 0), true);
      return 0;
    },
    args_get(table, text) {
      for (const e of encoded) {
        view().setUint32(table, text, true);
        new Uint8Array(memory.buffer).set(e, text);
        table += 4;
        text += e.length;
      }
      return 0;
    },
    fd_write(file, vectors, count, written) {
      let total = 0;
      for (let i = 0; i < count; ++i) {
        const at = view().getUint32(vectors + 8 * i, true);
        const size = view().getUint32(vectors + 8 * i + 4, true);
        output[file] += String.fromCharCode(...new Uint8Array(memory.buffer, at, size));
        total += size;
      }
      view().setUint32(written, total, true);
      return 0;
    },
    proc_exit(code) {
      throw new Exit(code);
    },
  };
  // All other calls (files, clocks) fail with error 52, "not supported".
  const refused = () => 52;
  const wasi = new Proxy(known, { get: (calls, name) => calls[name] ?? refused });

  const module = await WebAssembly.compile(bytes);
  const imports = { wasi_snapshot_preview1: {} };
  for (const { name } of WebAssembly.Module.imports(module)) {
    imports.wasi_snapshot_preview1[name] = wasi[name];
  }
  const instance = await WebAssembly.instantiate(module, imports);
  memory = instance.exports.memory;
  try {
    instance.exports._start();
  } catch (thrown) {
    if (!(thrown instanceof Exit)) throw thrown;
    return { code: thrown.code, out: output[1], err: output[2] };
  }
  return { code: 0, out: output[1], err: output[2] };
}
