// Runs a tick: commands, substeps, state hash. Read this file first.
#include "common/world/step.h"

#include <algorithm>

#include "common/world/commands/apply.h"
#include "common/world/contact_tick.h"
#include "common/world/image/state_hash.h"
#include "common/world/substep.h"

namespace orrery {
namespace {

// Runs the substeps of a world without contacts and joints. Returns the sum of the body hashes.
std::uint64_t advance_without_contacts(MutableWorld& world, Executor& executor) {
  std::uint64_t sum = 0;
  const std::uint32_t substeps = world.scene.substeps;
  for (std::uint32_t i = 0; i < substeps; ++i) {
    sum = advance(world, {.first = i == 0, .last = i + 1 == substeps}, executor);
  }
  return sum;
}

}  // namespace

void step(World& world, std::span<const Command> commands, Executor& executor,
          std::vector<RefusedCommand>* refused) {
  ORRERY_ASSERT(commands.size() <= limits::kCommandsPerTickMax);
  // `commands` must not be world.applied() itself, because apply_commands() clears that list before
  // it reads `commands`.
  ORRERY_ASSERT(commands.empty() || commands.data() != world.applied().data());
  ORRERY_ASSERT(std::is_sorted(commands.begin(), commands.end(), comes_before));
  executor.begin_tick();
  MutableWorld state(world);
  begin_body_events(state);
  apply_commands(state, commands, refused);

  const std::uint64_t sum = state.collision ? advance_with_contacts(state, executor)
                                            : advance_without_contacts(state, executor);

  ++state.tick.value;
  add_body_events(state);
  state.hash = combined_hash(sum, state.controls_hash);
  executor.end_tick();
}

}  // namespace orrery
