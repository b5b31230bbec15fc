// Describes the bodies of a scene, with their shapes and links, for the page.
import type { Link, Scene, SceneBody, SceneKey } from "./messages";
import type { Vec } from "./vec";
import { BodyKind, LinkKind, type World } from "./world";

// `world` is in its initial state, in which body i of the scene has the id i.
export function describeScene(world: World): Scene {
  const info = world.info();
  const bodies = Array.from({ length: info.scene_bodies }, (_, id) => {
    const body = world.body(id);
    return { ...body, shapes: Array.from({ length: body.parts }, (_, i) => world.part(id, i)) };
  });
  return { name: info.scene, tickRate: info.tick_rate, tickTime: info.tick_time, bodies,
           inSi: world.totals().in_si !== 0, links: linksOf(world, bodies), keys: keysOf(world) };
}

const keysOf = (world: World): SceneKey[] => world.keys().map(({ key, pressed, released }) => ({
  name: key.key, label: key.label, own: key.own_body !== 0, pressed,
  released: key.releases !== 0 ? released : null,
}));

// Returns the lines of springs, tethers and joints. A joint that holds two points together has its
// points at one place, so its lines begin at the centres of the bodies that move.
function linksOf(world: World, bodies: SceneBody[]): Link[] {
  const links: Link[] = [];
  for (const { kind, a, b, at_a, at_b } of world.links()) {
    const [atA, atB] = [at_a as Vec, at_b as Vec];
    if (kind <= LinkKind.DISTANCE) {
      links.push({ a, b: kind === LinkKind.TETHER ? null : b, atA, atB });
      continue;
    }
    for (const [body, at] of [[a, atA], [b, atB]] as const) {
      const moves = bodies[body].kind !== BodyKind.ANCHOR && at.some((x) => x !== 0);
      if (moves) links.push({ a: body, b: body, atA: [0, 0, 0], atB: at });
    }
  }
  return links;
}
