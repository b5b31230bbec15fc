// Finds the bodies that belong to a client, while rules give and take them.
import { Control, type World } from "./world";

const LOOKS = 1000;  // bodies that a call looks at

export class Owned {
  private ids = new Set<number>();
  private next = 0;  // index of the first body of the next call

  // Returns the ids of bodies of `owner`, ascending. A call looks at a part of a large world, so
  // the result may be some calls old.
  find(world: World, owner: bigint): number[] {
    const all = world.ids();
    const count = Math.min(LOOKS, all.length);
    if (count === all.length) this.ids.clear();
    for (let i = 0; i < count; ++i) {
      const id = all[this.next++ % all.length];
      const rights = world.rights(id);
      if (rights.control === Control.OWNER && rights.owner === owner) this.ids.add(id);
      else this.ids.delete(id);
    }
    this.next %= Math.max(1, all.length);
    if (this.ids.size > 0) {
      const exist = new Set(all);
      for (const id of this.ids) if (!exist.has(id)) this.ids.delete(id);
    }
    return [...this.ids].sort((a, b) => a - b);
  }
}
