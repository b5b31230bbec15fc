// Describes the bodies of a scene, with their shapes, for the page.
import type { Scene } from "./messages";
import type { World } from "./world";

// `world` is in its initial state, in which body i of the scene has the id i.
export function describeScene(world: World): Scene {
  const info = world.info();
  const bodies = Array.from({ length: info.scene_bodies }, (_, id) => {
    const body = world.body(id);
    return { ...body, shapes: Array.from({ length: body.parts }, (_, i) => world.part(id, i)) };
  });
  return { name: info.scene, tickRate: info.tick_rate, tickTime: info.tick_time, bodies };
}
