// The bodies of a world as a frame.
#include "common/codec/delta/world_frame.h"

#include <algorithm>

namespace orrery::codec {

void quantise(const World& world, const Grid& grid, QuantisedFrame& frame) {
  const Bodies& bodies = world.bodies();
  const std::optional<Collision>& collision = world.collision();
  const Scene& scene = world.scene();
  frame.tick = world.tick();
  frame.bodies.assign(scene.bodies.size() + scene.spare_bodies, {});
  const std::uint32_t slots =
      std::min(bodies.slots(), static_cast<std::uint32_t>(frame.bodies.size()));
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    if (!bodies.alive(slot)) continue;
    QuantisedBody& body = frame.bodies[slot];
    body.id = body_id(world, slot);
    body.prototype = world.controls().prototypes[slot];
    body.active = !(collision && collision->sleeping && collision->sleeping->asleep(slot));
    body.present = true;
    quantise(grid, bodies.position(slot), bodies.orientation(slot), body);
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
