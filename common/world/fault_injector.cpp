// Changes a state as no command can. Updates the data derived from it only when asked to.
#include "common/world/fault_injector.h"

#include <utility>
#include <vector>

#include "common/world/image/image.h"
#include "common/world/image/state_hash.h"

namespace orrery {

void FaultInjector::exchange(std::uint32_t a, std::uint32_t b) {
  ORRERY_ASSERT(a != b);
  ORRERY_ASSERT(state_.bodies.alive(a) && state_.bodies.alive(b));
  for (std::size_t f = 0; f < physics::kStateFields; ++f) {
    double* const field = state_.bodies.field(static_cast<physics::BodyField>(f));
    std::swap(field[a], field[b]);
  }
}

void FaultInjector::update_hash(Executor& executor) { state_.hash = state_hash(world_, executor); }

Status FaultInjector::settle() {
  std::vector<std::uint8_t> image;
  save_image(world_, image);
  const std::vector<Command> applied = world_.applied();
  Events events = world_.events();
  const Status status = restore_image(world_, image);
  state_.applied.assign(applied.begin(), applied.end());
  state_.events = std::move(events);
  return status;
}

}  // namespace orrery
