// Sums energy and momentum over the bodies and springs of a world, as common/world/report does.
import { Image } from "../image";
import type { SceneBody, Totals } from "../messages";
import { add, cross, dot, rotate, type Vec } from "../vec";
import { BodyKind, type World } from "../world";
import type { Forces } from "./forces";

const NUMBERS = 13;  // of a body in World.states()
const SLOT_OF_ID = 0xfffff;

// A body that forces move.
type Mass = { mass: number, position: Vec };

export class Ledger {
  // `bodies`: all bodies of the scene.
  constructor(private readonly bodies: SceneBody[], private readonly forces: Forces) {}

  // Returns the sums over all rigid bodies and points. Grabs store no energy.
  totals(world: World): Totals {
    const ids = world.ids();
    const states = world.states();
    const image = new Image(world.save());
    const { gravity, attraction } = image.fields();
    const masses: Mass[] = [];
    let energy = 0, momentum: Vec = [0, 0, 0], angularMomentum: Vec = [0, 0, 0];
    ids.forEach((id, i) => {
      const sceneBody = world.sceneBodyOf(id);
      const { kind, mass } = this.bodies[sceneBody];
      if (kind !== BodyKind.RIGID && kind !== BodyKind.POINT) return;
      const state = [...states.subarray(i * NUMBERS, (i + 1) * NUMBERS)];
      const position = state.slice(0, 3) as Vec, orientation = state.slice(3, 7);
      const velocity = state.slice(7, 10) as Vec, turning = state.slice(10, 13) as Vec;
      const spin = rotate(orientation, image.angularMomentum(id & SLOT_OF_ID));
      const push = velocity.map((x) => mass * x) as Vec;
      energy += mass * dot(velocity, velocity) / 2 + dot(spin, turning) / 2 -
        mass * this.forces.gravityScales[sceneBody] * dot(gravity, position);
      momentum = add(momentum, push);
      angularMomentum = add(add(angularMomentum, cross(position, push)), spin);
      masses.push({ mass, position });
    });
    energy += this.stretchEnergy(ids, states) + this.mutualEnergy(attraction, masses);
    return { energy, momentum, angularMomentum };
  }

  // Returns the energy of springs and tethers. They end when their body is removed.
  private stretchEnergy(ids: Uint32Array, states: Float64Array): number {
    if (this.forces.springs.length === 0) return 0;
    const places = new Map([...ids].map((id, i) => [id, i * NUMBERS]));
    const point = (id: number, at: Vec): Vec | null => {
      const from = places.get(id);
      if (from === undefined) return null;
      const [x, y, z] = states.subarray(from, from + 3);
      return add([x, y, z], rotate(states.subarray(from + 3, from + 7), at));
    };
    let sum = 0;
    for (const { a, b, atA, atB, stiffness, rest } of this.forces.springs) {
      const from = point(a, atA), to = b === null ? atB : point(b, atB);
      if (!from || !to) continue;
      sum += stiffness * (Math.hypot(...add(from, to, -1)) - rest) ** 2 / 2;
    }
    return sum;
  }

  // Returns the potential energy of mutual gravity.
  private mutualEnergy(attraction: number, masses: Mass[]): number {
    if (attraction === 0) return 0;
    const softening = this.forces.softening ** 2;
    let sum = 0;
    masses.forEach((one, i) => {
      for (let j = 0; j < i; ++j) {
        const between = add(one.position, masses[j].position, -1);
        sum -= one.mass * masses[j].mass / Math.sqrt(dot(between, between) + softening);
      }
    });
    return attraction * sum;
  }
}
