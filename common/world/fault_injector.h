// Changes a state as no command can: for deliberate faults and for tests.
#pragma once

#include <cstdint>

#include "common/core/executor.h"
#include "common/core/result.h"
#include "common/world/mutable_world.h"

namespace orrery {

// Write access to a world between two ticks. A change through state() does not update data derived
// from the state. update_hash() updates the hash, and settle() updates all derived data.
class FaultInjector {
 public:
  explicit FaultInjector(World& world) : world_(world), state_(world) {}

  // Returns the world to change.
  MutableWorld& state() { return state_; }
  // Exchanges the states (positions, velocities, orientations, momenta) of the bodies in slots a
  // and b.
  // REQUIRES: a != b, and both slots are occupied.
  void exchange(std::uint32_t a, std::uint32_t b);
  // Computes the hash of the changed state.
  void update_hash(Executor& executor);
  // Saves the world to an image and restores it, which rebuilds all derived data. Keeps the
  // commands and events of the last tick. If restore_image() refuses the changed state as invalid,
  // returns an Error and leaves the changed state as it is.
  Status settle();

 private:
  World& world_;
  MutableWorld state_;
};

}  // namespace orrery
