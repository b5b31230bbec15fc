// The bodies of a world, for a picture.
#include "client/cli/render/world_bodies.h"

namespace orrery::cli {

Models models_of(const World& world) {
  static const ShapeSet kNoShapes;
  return {world.scene(), world.collision() ? world.collision()->shapes : kNoShapes};
}

std::vector<DrawnBody> bodies_of(const World& world) {
  std::vector<DrawnBody> bodies;
  for (std::uint32_t slot = 0; slot < world.bodies().slots(); ++slot) {
    if (!world.bodies().alive(slot)) continue;
    bodies.push_back({.id = body_id(world, slot),
                      .prototype = world.controls().prototypes[slot],
                      .pose = {world.bodies().position(slot), world.bodies().orientation(slot)},
                      .velocity = world.bodies().velocity(slot),
                      .angular_velocity = world.bodies().angular_velocity(slot)});
  }
  return bodies;
}

}  // namespace orrery::cli
