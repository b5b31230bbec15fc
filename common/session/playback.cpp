// Owns which way to a tick is the shortest.
#include "common/session/playback.h"

#include <algorithm>

#include "common/session/replay.h"
#include "common/world/image.h"

namespace orrery {

Result<std::unique_ptr<Playback>> Playback::open(OpenSegment open_segment) {
  Result<std::unique_ptr<ByteSource>> first = open_segment(0);
  if (!first) return first.error();
  if (!first.value()) return Error{"is not there"};
  std::unique_ptr<Playback> playback(new Playback(std::move(first.value()), open_segment));
  Result<LogHeader> header = playback->log_.read_header();
  if (!header) return header.error();
  Result<World> world = initial_world(header.value());
  if (!world) return world.error();
  playback->header_ = std::move(header.value());
  playback->world_.emplace(std::move(world.value()));
  save_image(*playback->world_, playback->start_);
  playback->checkpoints_ = find_checkpoints(open_segment, Indexes::believed);
  return playback;
}

Status Playback::go_to_start() {
  if (!log_.go_to_start()) {
    const std::optional<Error>& unreadable = tail().unreadable;
    return unreadable ? *unreadable : Error{"cannot be read again from its start"};
  }
  return restore_image(*world_, start_);
}

bool Playback::restore(const CheckpointAt& at) {
  TickRecord record;
  Checkpoint checkpoint;
  return log_.go_to(at) && log_.next(record, checkpoint) == RecordType::checkpoint &&
         restore_checkpoint(*world_, checkpoint);
}

std::vector<CheckpointAt>::iterator Playback::nearest_before(Tick tick) {
  const auto behind =
      std::upper_bound(checkpoints_.begin(), checkpoints_.end(), tick,
                       [](Tick wanted, const CheckpointAt& at) { return wanted < at.place.tick; });
  return behind == checkpoints_.begin() ? checkpoints_.end() : std::prev(behind);
}

void Playback::distrust(std::vector<CheckpointAt>::iterator at) {
  ORRERY_ASSERT(at != checkpoints_.end());
  if (indexes_ == Indexes::ignored) {
    checkpoints_.erase(at);
    return;
  }
  indexes_ = Indexes::ignored;
  checkpoints_ = find_checkpoints(open_segment_, indexes_);
}

Status Playback::go_before(Tick tick) {
  auto at = nearest_before(tick);
  const bool on_the_way = !astray_ && world_->tick <= tick;
  if (on_the_way && (at == checkpoints_.end() || at->place.tick <= world_->tick)) {
    return ok_status();
  }
  astray_ = true;
  for (; at != checkpoints_.end(); at = nearest_before(tick)) {
    if (restore(*at)) return ok_status();
    distrust(at);
  }
  return go_to_start();
}

Status Playback::go_to(Tick tick, Executor& executor, const std::function<void()>& progress) {
  if (!astray_ && world_->tick == tick) return ok_status();
  if (Status gone = go_before(tick); !gone) return gone;
  Status replayed = replay_to(log_, header_, *world_, executor, tick, progress);
  astray_ = !replayed;
  if (replayed && world_->tick < tick && tail().unreadable) return *tail().unreadable;
  return replayed;
}

}  // namespace orrery
