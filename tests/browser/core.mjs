// Calls the functions of orrery.wasm from JavaScript, for tests and benchmarks.
import { readFileSync } from "node:fs";

// Loads a module: its path, or the compiled module. The result has its exports and a few helpers.
// Some of these create structs as client/api/orrery.h lays them out: the first field is the size,
// the others have fixed offsets.
export function load(source) {
  const module = source instanceof WebAssembly.Module ? source
    : new WebAssembly.Module(readFileSync(source));
  const core = new WebAssembly.Instance(module, {}).exports;
  core._initialize();
  const view = () => new DataView(core.memory.buffer);

  // Copies bytes into the memory of the module. Returns their address.
  function place(bytes) {
    const at = core.malloc(bytes.length);
    new Uint8Array(core.memory.buffer).set(bytes, at);
    return at;
  }
  const placeText = (text) => place(new TextEncoder().encode(text + "\0"));
  // Returns the address of a struct of `size` bytes with 0 in its other fields.
  function placeStruct(size) {
    const at = place(new Uint8Array(size));
    view().setUint32(at, size, true);
    return at;
  }
  function text(at) {
    const bytes = new Uint8Array(core.memory.buffer, at);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  }
  // Calls a function that makes a handle. Returns {code, handle, why}.
  function make(name, ...args) {
    const handle = core.malloc(4), why = core.malloc(256);
    const code = core[name](...args, handle, why, 256);
    return { code, handle: view().getUint32(handle, true), why: text(why) };
  }
  function worldInfo(world) {
    const at = placeStruct(120);
    if (core.orrery_get_world_info(world, at) !== 0) throw new Error("no facts");
    return { tick: view().getBigUint64(at + 8, true),
             hash: "0x" + view().getBigUint64(at + 16, true).toString(16).padStart(16, "0") };
  }
  // Advances a world by many ticks without commands.
  function step(world, ticks) {
    const at = core.malloc(4);
    view().setUint32(at, world, true);
    if (core.orrery_worlds_step(at, 1, 0, 0, ticks, 0) !== 0) throw new Error("no step");
    core.free(at);
  }
  return { core, view, place, placeText, placeStruct, text, make, worldInfo, step };
}
