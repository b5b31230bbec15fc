// The bodies of a world as a frame.
#include "common/codec/delta/world_frame.h"

#include <algorithm>

#include "common/codec/delta/delta_scene.h"

namespace orrery::codec {

QuantisedBody quantise(const World& world, const Grid& grid, std::uint32_t slot) {
  ORRERY_ASSERT(world.bodies().alive(slot));
  const std::optional<Collision>& collision = world.collision();
  QuantisedBody body;
  body.id = body_id(world, slot);
  body.prototype = world.controls().prototypes[slot];
  body.size = size_of(radius_of(world.scene().bodies[body.prototype], grid));
  body.active = !(collision && collision->sleeping && collision->sleeping->asleep(slot));
  body.present = true;
  quantise(grid, world.bodies().position(slot), world.bodies().orientation(slot), body);
  return body;
}

void quantise(const World& world, const Grid& grid, QuantisedFrame& frame) {
  const Bodies& bodies = world.bodies();
  const Scene& scene = world.scene();
  frame.tick = world.tick();
  frame.bodies.assign(scene.bodies.size() + scene.spare_bodies, {});
  const std::uint32_t slots =
      std::min(bodies.slots(), static_cast<std::uint32_t>(frame.bodies.size()));
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    if (bodies.alive(slot)) frame.bodies[slot] = quantise(world, grid, slot);
  }
}

void find_references(const World& world, std::vector<std::uint32_t>& out) {
  out.clear();
  for (const Client& client : world.controls().clients) {
    if (client.grabbing && contains(world, client.grabbed)) out.push_back(slot_of(client.grabbed));
  }
  for (const HeldThrust& thrust : world.controls().thrusts) {
    if (contains(world, thrust.body)) out.push_back(slot_of(thrust.body));
  }
  for (const ScriptDef& script : world.scene().scripts) {
    if (world.bodies().alive(script.body)) out.push_back(script.body);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
}

}  // namespace orrery::codec
