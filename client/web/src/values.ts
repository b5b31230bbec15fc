// Reads the values of a session, when they change.
import { STRUCTS, textOf } from "./layout";
import type { Value } from "./messages";
import type { World } from "./world";

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  let i = 0;
  while (i < a.length && a[i] === b[i]) ++i;
  return i === a.length && i === b.length;
}

export class Values {
  private bytes: Uint8Array = new Uint8Array();  // that were read last

  // Returns all values, ascending by key, or null if they are those of the last call. The first
  // call returns null if there are none.
  read(world: World): Value[] | null {
    const bytes = world.valueBytes();
    if (areEqual(bytes, this.bytes)) return null;
    this.bytes = bytes;
    const view = new DataView(bytes.buffer);
    return Array.from({ length: bytes.length / STRUCTS.value.size }, (_, i) => {
      const value = STRUCTS.value.read(view, i * STRUCTS.value.size);
      return { key: textOf(value.key.subarray(0, value.key_size)),
               text: textOf(value.bytes.subarray(0, value.bytes_size)) };
    });
  }
}
