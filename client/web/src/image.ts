// Finds and changes the state of a body in the image of a world (schema/image.md).
import type { Vec } from "./vec";
import { xxh3 } from "./xxh3";

// The fields of a body, in the order of the image.
export const FIELDS = [
  "position.x", "position.y", "position.z", "velocity.x", "velocity.y", "velocity.z",
  "angular_momentum.x", "angular_momentum.y", "angular_momentum.z",
  "orientation.x", "orientation.y", "orientation.z", "orientation.w",
];

const CLIENT_BYTES = 34;
const THRUST_BYTES = 32;
const OTHER_SLOT_BYTES = 14;
const SLOT_OF_ID = 0xfffff;

export class Image {
  private readonly view: DataView;
  private readonly slots: number;
  private readonly state: number;  // offset of the first array

  constructor(readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.slots = this.view.getUint32(16, true);
    let at = 52;
    at += 4 + CLIENT_BYTES * this.view.getUint32(at, true);
    at += 4 + THRUST_BYTES * this.view.getUint32(at, true);
    at += 8 * Math.ceil(this.slots / 64);
    at += 4 + OTHER_SLOT_BYTES * this.view.getUint32(at, true);
    this.state = at;
  }

  private offset(slot: number, field: number): number {
    return this.state + 8 * (field * this.slots + slot);
  }

  number(slot: number, field: number): number {
    return this.view.getFloat64(this.offset(slot, field), true);
  }

  // Returns the parameters of the world that commands can set.
  fields(): { gravity: Vec, attraction: number } {
    const [x, y, z, attraction] = [0, 8, 16, 24].map((i) => this.view.getFloat64(20 + i, true));
    return { gravity: [x, y, z], attraction };
  }

  // Returns the angular momentum of a body, in body axes.
  angularMomentum(slot: number): Vec {
    return [6, 7, 8].map((field) => this.number(slot, field)) as Vec;
  }

  // Returns a copy in which one bit of a field differs. Bit 0 is the lowest of the mantissa.
  flipped(body: number, field: string, bit: number): Image {
    const copy = new Image(this.bytes.slice());
    const at = copy.offset(body & SLOT_OF_ID, FIELDS.indexOf(field));
    copy.view.setBigUint64(at, copy.view.getBigUint64(at, true) ^ 1n << BigInt(bit), true);
    const end = copy.bytes.length - 8;
    copy.view.setBigUint64(end, xxh3(copy.bytes.subarray(0, end)), true);
    return copy;
  }

  // Returns the first slot and field with other bits, or null. Also returns null if the images have
  // places for other numbers of bodies.
  difference(other: Image): { slot: number, field: number } | null {
    if (this.slots !== other.slots) return null;
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
}
