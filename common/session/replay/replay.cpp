// Replays recorded commands with step() and compares every state hash.
#include "common/session/replay/replay.h"

#include <algorithm>

#include "common/codec/scene_codec.h"
#include "common/session/versions.h"
#include "common/world/image/image.h"
#include "common/world/step.h"

namespace orrery::session {
namespace {

// Compares the world with a checkpoint of its tick. After lost ticks it restores the checkpoint
// instead. Returns false if they differ or the checkpoint cannot be restored.
bool meets(World& world, const Checkpoint& checkpoint, std::vector<std::uint8_t>& image) {
  if (checkpoint.after_gap) return restore_checkpoint(world, checkpoint);
  ORRERY_ASSERT(world.tick() == checkpoint.tick);
  save_image(world, image);
  return world.hash() == checkpoint.hash &&
         std::equal(image.begin(), image.end(), checkpoint.image.begin(), checkpoint.image.end());
}

}  // namespace

Result<Scene> recorded_scene(const codec::LogHeader& header) {
  Result<Scene> scene = codec::decode_scene(header.scene);
  if (scene) return scene;
  const bool is_newer = header.rules > kRulesVersion;
  return Error{"has an unusable scene: " + scene.error().text() +
               (is_newer ? "; it was recorded under " + other_rules(header.rules) : "")};
}

Result<World> initial_world(const codec::LogHeader& header) {
  if (header.rules != kRulesVersion) {
    const bool is_known = header.rules < kRulesVersion;
    return Error{
        "was recorded under " + other_rules(header.rules) +
            (is_known
                 ? "; here log info, log check, log export and replay --at its checkpoints work"
                 : ""),
        ErrorCode::version};
  }
  Result<Scene> scene = recorded_scene(header);
  if (!scene) return scene.error();
  return World(std::move(scene.value()));
}

bool restore_checkpoint(World& world, const Checkpoint& checkpoint) {
  return restore_image(world, checkpoint.image).ok() && world.tick() == checkpoint.tick &&
         world.hash() == checkpoint.hash;
}

Status restore_of_other_rules(World& world, const Checkpoint& checkpoint) {
  const std::string what = "its checkpoint of tick " + std::to_string(checkpoint.tick.value);
  const Status restored = restore_image_of_other_rules(world, checkpoint.image, checkpoint.hash);
  if (!restored) {
    return restored.error().after(what + " cannot be read: ");
  }
  if (world.tick() != checkpoint.tick) {
    return Error{what + " holds the state of tick " + std::to_string(world.tick().value)};
  }
  return ok_status();
}

bool step_as_recorded(World& world, const TickRecord& record, Executor& executor) {
  ORRERY_ASSERT(world.tick().value + 1 == record.tick.value);
  step(world, record.commands, executor);
  // step() applies a subsequence of the given commands, so an equal count means equal commands.
  return world.hash() == record.hash && world.applied().size() == record.commands.size();
}

Verifier::Verifier(LogReader& log, const codec::LogHeader& header, World& world)
    : log_(log), world_(world) {
  ORRERY_ASSERT(world.tick().value == 0);
  found_.hash = header.initial_hash;
  if (world.hash() != header.initial_hash) found_.first_divergent_tick = 0;
}

std::optional<RecordType> Verifier::next(Executor& executor) {
  ORRERY_ASSERT(found_.verified <= found_.ticks);
  const std::optional<RecordType> type = log_.next(record_, checkpoint_);
  if (!type) {
    found_.tail = log_.tail();
    return type;
  }
  const bool tick = is_tick(*type);
  found_.ticks += tick ? 1 : 0;
  found_.hash = tick ? record_.hash : checkpoint_.hash;
  if (!found_.first_divergent_tick) {
    const bool equal =
        tick ? step_as_recorded(world_, record_, executor) : meets(world_, checkpoint_, image_);
    (tick ? found_.verified : found_.checkpoints) += equal ? 1 : 0;
    if (!equal) found_.first_divergent_tick = log_.tick().value;
  }
  return type;
}

Verification verify(LogReader& log, const codec::LogHeader& header, World& world,
                    Executor& executor, const std::function<void()>& progress) {
  Verifier verifier(log, header, world);
  while (const std::optional<RecordType> type = verifier.next(executor)) {
    if (is_tick(*type)) progress();
  }
  return verifier.found();
}

Status replay_to(LogReader& log, const codec::LogHeader& header, World& world, Executor& executor,
                 Tick last, const std::function<void()>& progress) {
  ORRERY_ASSERT(progress && header.rules == kRulesVersion);
  if (world.tick().value == 0 && world.hash() != header.initial_hash) {
    return Error{"diverges at tick 0: the initial state"};
  }
  TickRecord record;
  Checkpoint checkpoint;
  std::vector<std::uint8_t> image;
  while (world.tick() < last) {
    const std::optional<RecordType> type = log.next(record, checkpoint);
    if (!type) break;
    const bool tick = is_tick(*type);
    const bool equal =
        tick ? step_as_recorded(world, record, executor) : meets(world, checkpoint, image);
    if (!equal) {
      return Error{"diverges at tick " + std::to_string(log.tick().value) +
                   ": replay gives another state than was recorded"};
    }
    if (tick || checkpoint.after_gap) progress();
  }
  return ok_status();
}

}  // namespace orrery::session
