// Describes the bodies of a scene, with their shapes and links, for the page.
import { readForces, readJoints } from "./history/forces";
import type { Link, Scene, SceneBody } from "./messages";
import { BodyKind, type World } from "./world";

// `world` is in its initial state, in which body i of the scene has the id i.
export function describeScene(world: World): Scene {
  const info = world.info();
  const bodies = Array.from({ length: info.scene_bodies }, (_, id) => {
    const body = world.body(id);
    return { ...body, shapes: Array.from({ length: body.parts }, (_, i) => world.part(id, i)) };
  });
  return { name: info.scene, tickRate: info.tick_rate, tickTime: info.tick_time, bodies,
           links: linksOf(world.scene(), bodies) };
}

// Returns the lines of springs, tethers and joints. A joint holds two points at one place, so its
// lines begin at the centres of the bodies that move.
function linksOf(scene: Uint8Array, bodies: SceneBody[]): Link[] {
  const links: Link[] = readForces(scene).springs.map(({ a, b, atA, atB }) => ({ a, b, atA, atB }));
  for (const { a, b, atA, atB, apart } of readJoints(scene)) {
    if (apart) {
      links.push({ a, b, atA, atB });
      continue;
    }
    for (const [body, at] of [[a, atA], [b, atB]] as const) {
      const moves = bodies[body].kind !== BodyKind.ANCHOR && at.some((x) => x !== 0);
      if (moves) links.push({ a: body, b: body, atA: [0, 0, 0], atB: at });
    }
  }
  return links;
}
