// Owns how a log is stepped through and compared.
#include "common/session/replay.h"

#include "common/codec/scene_codec.h"
#include "common/session/versions.h"
#include "common/world/step.h"

namespace orrery {
namespace {

// Steps through one record; true if state and commands come out as recorded.
bool step_as_recorded(World& world, const TickRecord& record, Executor& executor) {
  ORRERY_ASSERT(world.tick.value + 1 == record.tick.value);
  step(world, record.commands, executor);
  // What is applied is taken, in order, from what is given: as many means the same.
  return world.hash == record.hash && world.applied.size() == record.commands.size();
}

}  // namespace

Result<Scene> recorded_scene(const LogHeader& header) {
  Result<Scene> scene = decode_scene(header.scene);
  if (!scene) return Error{"has an unusable scene: " + scene.error().message};
  return scene;
}

Result<World> initial_world(const LogHeader& header) {
  if (header.rules != kRulesVersion) {
    return Error{"was recorded under rules " + std::to_string(header.rules) +
                 "; this build has rules " + std::to_string(kRulesVersion)};
  }
  Result<Scene> scene = recorded_scene(header);
  if (!scene) return scene.error();
  return World(std::move(scene.value()));
}

Verification verify(LogReader& log, const LogHeader& header, World& world, Executor& executor,
                    const std::function<void()>& progress) {
  ORRERY_ASSERT(world.tick.value == 0);
  Verification found;
  found.hash = header.initial_hash;
  if (world.hash != header.initial_hash) found.first_divergent_tick = 0;
  TickRecord record;
  while (log.next(record)) {
    ++found.ticks;
    found.hash = record.hash;
    if (!found.first_divergent_tick) {
      if (step_as_recorded(world, record, executor)) {
        ++found.verified;
      } else {
        found.first_divergent_tick = record.tick.value;
      }
    }
    progress();
  }
  found.tail = log.tail();
  return found;
}

Status replay_to(LogReader& log, const LogHeader& header, World& world, Executor& executor,
                 Tick last, const std::function<void()>& progress) {
  ORRERY_ASSERT(world.tick.value == 0);
  if (world.hash != header.initial_hash) return Error{"diverges at tick 0: the initial state"};
  TickRecord record;
  while (world.tick < last && log.next(record)) {
    if (!step_as_recorded(world, record, executor)) {
      return Error{"diverges at tick " + std::to_string(record.tick.value) +
                   ": replay gives another state than was recorded"};
    }
    progress();
  }
  return ok_status();
}

}  // namespace orrery
