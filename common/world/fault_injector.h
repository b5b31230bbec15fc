// Changes a state as no command can: for deliberate faults and for tests.
#pragma once

#include <cstdint>

#include "common/core/executor.h"
#include "common/core/result.h"
#include "common/world/mutable_world.h"

namespace orrery {

// Write access to a world between two ticks. Data derived from a changed number stays as it was,
// until settle() or update_hash() updates it.
class FaultInjector {
 public:
  explicit FaultInjector(World& world) : world_(world), state_(world) {}

  // Returns the world to change.
  MutableWorld& state() { return state_; }
  // Exchanges the states of two bodies.
  // REQUIRES: Both are alive.
  void exchange(std::uint32_t a, std::uint32_t b);
  // Computes the hash of the changed state.
  void update_hash(Executor& executor);
  // Saves and restores the world. This rebuilds all derived data and keeps the commands and events
  // of the tick. Returns an Error if no world can have this state, and then leaves it as it is.
  Status settle();

 private:
  World& world_;
  MutableWorld state_;
};

}  // namespace orrery
