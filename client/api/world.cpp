// The functions that step worlds, alone or in a batch, describe one, and save and restore its
// state.
#include <algorithm>

#include "client/api/commands.h"
#include "client/api/structs.h"
#include "client/api/world_handle.h"
#include "common/core/float_environment.h"
#include "common/world/image/image.h"
#include "common/world/step.h"

namespace orrery::api {
namespace {

void advance(orrery_world& w) {
  SerialExecutor executor;
  step(*w.own, w.commands, executor);
  w.commands.clear();
  w.indexed = false;
}

orrery_world_info describe_world(const orrery_world& w) {
  const World& state = w.world();
  orrery_world_info now{};
  now.bodies = state.bodies().count();
  now.tick = state.tick().value;
  now.hash = state.hash();
  now.tick_time = state.tick_time();
  now.tick_rate = state.scene().tick_rate;
  now.scene_bodies = static_cast<std::uint32_t>(state.scene().bodies.size());
  now.applied = static_cast<std::uint32_t>(state.applied().size());
  now.events = static_cast<std::uint32_t>(state.events().list.size());
  copy_text(state.scene().name.c_str(), now.scene, sizeof now.scene);
  return now;
}

// A batch of worlds: all of them are checked before any is stepped.
class Batch {
 public:
  Batch(orrery_world* const* worlds, std::uint32_t count) : worlds_(worlds), count_(count) {}
  ~Batch() {
    for (std::uint32_t i = 0; i < checked_; ++i) worlds_[i]->in_batch = false;
  }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // Checks every world, and reads its commands. Returns the first error; at() is its world.
  std::int32_t check(const orrery_command* commands, const std::uint32_t* counts) {
    for (; checked_ < count_; ++checked_) {
      const std::uint32_t own = counts == nullptr ? 0 : counts[checked_];
      const std::int32_t code =
          guarded(worlds_[checked_], [&](orrery_world& w) { return take(w, commands, own); });
      if (code != ORRERY_OK) return code;
      if (own > 0) commands = Rows<const orrery_command>(commands)[own];
    }
    return ORRERY_OK;
  }

  std::uint32_t at() const { return checked_; }

 private:
  static std::int32_t take(orrery_world& w, const orrery_command* commands, std::uint32_t count) {
    if (w.in_batch) return fail(w, ORRERY_BAD_ARGUMENT, "the world is in the array twice");
    if (const std::int32_t code = check_own(w); code != ORRERY_OK) return code;
    const std::int32_t code = read_commands(w, commands, count, w.commands);
    w.in_batch = code == ORRERY_OK;
    return code;
  }

  orrery_world* const* worlds_;
  std::uint32_t count_;
  std::uint32_t checked_ = 0;
};

}  // namespace

std::int32_t check_own(orrery_world& w) {
  if (!w.own) return fail(w, ORRERY_READ_ONLY, "the world belongs to a log, client or server");
  if (!float_environment_is_sound()) return fail(w, ORRERY_FLOAT_MODE, "%s", kFloatMode);
  return ORRERY_OK;
}

}  // namespace orrery::api

using namespace orrery::api;  // NOLINT: all functions of this file are of the C interface

int32_t orrery_world_step(orrery_world* world, const orrery_command* commands,
                          uint32_t commands_count) {
  return guarded(world, [&](orrery_world& w) -> std::int32_t {
    if (const std::int32_t code = check_own(w); code != ORRERY_OK) return code;
    const std::int32_t code = read_commands(w, commands, commands_count, w.commands);
    if (code == ORRERY_OK) advance(w);
    return code;
  });
}

int32_t orrery_worlds_step(orrery_world* const* worlds, uint32_t worlds_count,
                           const orrery_command* commands, const uint32_t* counts, uint32_t ticks,
                           uint32_t* failed) {
  if (failed != nullptr) *failed = 0;
  if (worlds_count == 0) return ORRERY_OK;
  if (worlds == nullptr || ticks == 0) return ORRERY_BAD_ARGUMENT;
  Batch batch(worlds, worlds_count);
  std::int32_t code = batch.check(commands, counts);
  if (code != ORRERY_OK) {
    if (failed != nullptr) *failed = batch.at();
    return code;
  }
  for (std::uint32_t i = 0; i < worlds_count; ++i) {
    const std::int32_t stepped = guarded(worlds[i], [&](orrery_world& w) -> std::int32_t {
      for (std::uint32_t tick = 0; tick < ticks; ++tick) advance(w);
      return ORRERY_OK;
    });
    if (stepped == ORRERY_OK || code != ORRERY_OK) continue;
    code = stepped;
    if (failed != nullptr) *failed = i;
  }
  return code;
}

int32_t orrery_get_world_info(orrery_world* world, orrery_world_info* info) {
  return give(world, info, "info", describe_world);
}

int32_t orrery_world_applied(orrery_world* world, orrery_command* commands, uint32_t capacity) {
  return guarded(world, [&](orrery_world& w) {
    return give_list(w, w.world().applied(), commands, capacity, "command",
                     [&](const orrery::Command& from) { return command_out(w.space, from); });
  });
}

int32_t orrery_world_save(orrery_world* world, void* bytes, uint64_t capacity, uint64_t* size) {
  return guarded(world, [&](orrery_world& w) -> std::int32_t {
    if (size == nullptr) return fail(w, ORRERY_BAD_ARGUMENT, "size is null");
    orrery::save_image(w.world(), w.image);
    *size = w.image.size();
    return give_bytes(w, w.image, bytes, capacity, "the image");
  });
}

int32_t orrery_world_restore(orrery_world* world, const void* bytes, uint64_t size) {
  return guarded(world, [&](orrery_world& w) -> std::int32_t {
    if (const std::int32_t code = check_own(w); code != ORRERY_OK) return code;
    if (bytes == nullptr) return fail(w, ORRERY_BAD_ARGUMENT, "the image is null");
    const orrery::Status restored = orrery::restore_image(
        *w.own, {static_cast<const std::uint8_t*>(bytes), static_cast<std::size_t>(size)});
    if (!restored) return fail(w, ORRERY_BAD_IMAGE, "%s", restored.error().text().c_str());
    w.indexed = false;
    return ORRERY_OK;
  });
}
