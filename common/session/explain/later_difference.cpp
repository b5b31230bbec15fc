// Compares states at the first checkpoint after a divergence.
#include "common/session/explain/later_difference.h"

#include "common/world/image/image.h"
#include "common/world/step.h"

namespace orrery::session {
namespace {

// Returns the next checkpoint of tick `from` or later. Its image is valid until the log is read
// further.
std::optional<Checkpoint> next_checkpoint(LogReader& log, Tick from) {
  TickRecord record;
  Checkpoint checkpoint;
  while (const std::optional<RecordType> type = log.next(record, checkpoint)) {
    if (type == RecordType::checkpoint && checkpoint.tick >= from) return checkpoint;
  }
  return {};
}

}  // namespace

std::optional<LaterDifference> difference_at_checkpoint(LogReader& a, LogReader& b,
                                                        const Scene& scene) {
  ORRERY_ASSERT(&a != &b);
  std::optional<Checkpoint> in_a = next_checkpoint(a, {});
  std::optional<Checkpoint> in_b = next_checkpoint(b, {});
  while (in_a && in_b && in_a->tick != in_b->tick) {
    auto& earlier = in_a->tick < in_b->tick ? in_a : in_b;
    earlier = &earlier == &in_a ? next_checkpoint(a, in_b->tick) : next_checkpoint(b, in_a->tick);
  }
  if (!in_a || !in_b) return {};
  World world_a(scene);
  World world_b(scene);
  if (!restore_image(world_a, in_a->image) || !restore_image(world_b, in_b->image)) return {};
  return LaterDifference{in_a->tick, difference(world_a, world_b)};
}

std::optional<LaterDifference> difference_at_checkpoint(LogReader& log, Tick from, World& replay,
                                                        Executor& executor) {
  ORRERY_ASSERT(from > replay.tick());
  TickRecord record;
  Checkpoint checkpoint;
  while (const std::optional<RecordType> type = log.next(record, checkpoint)) {
    if (is_tick(*type)) {
      if (record.tick.value != replay.tick().value + 1) return {};  // ticks are lost
      step(replay, record.commands, executor);
    } else if (checkpoint.tick >= from) {
      World recorded(replay.scene());
      if (checkpoint.tick != replay.tick() || !restore_image(recorded, checkpoint.image)) return {};
      return LaterDifference{checkpoint.tick, difference(recorded, replay)};
    }
  }
  return {};
}

}  // namespace orrery::session
