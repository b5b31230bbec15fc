// Moves bodies without a command or a step, so that a state diverges.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "common/world/fault_injector.h"

namespace orrery::test {

// Moves the bodies in some slots along x and gives the world the hash of that state.
inline void displace(World& world, std::initializer_list<std::uint32_t> slots, double distance) {
  FaultInjector injector(world);
  for (const std::uint32_t slot : slots) {
    const double x = world.bodies().position(slot).x + distance;
    injector.state().bodies.set(physics::BodyField::position_x, slot, x);
  }
  SerialExecutor serial;
  injector.update_hash(serial);
}

}  // namespace orrery::test
