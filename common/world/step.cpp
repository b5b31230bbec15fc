// Owns the order of a tick: commands, substeps, state hash. Read this file first.
#include "common/world/step.h"

#include <algorithm>

#include "common/world/apply.h"
#include "common/world/state_hash.h"
#include "common/world/substep.h"

namespace orrery {

void step(World& world, std::span<const Command> commands, Executor& executor) {
  ORRERY_ASSERT(commands.size() <= limits::kCommandsPerTickMax);
  // world.applied is cleared before the commands are read.
  ORRERY_ASSERT(commands.empty() || commands.data() != world.applied.data());
  ORRERY_ASSERT(std::is_sorted(commands.begin(), commands.end(), comes_before));
  apply_commands(world, commands);

  const double h = world.tick_time / world.scene.substeps;
  for (std::uint32_t i = 1; i < world.scene.substeps; ++i) advance(world, h, executor);
  const std::uint64_t bodies = advance_and_hash(world, h, executor);

  ++world.tick.value;
  world.hash = combined_hash(bodies, world.controls_hash);
}

}  // namespace orrery
