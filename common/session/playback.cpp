// Owns which way to a tick is the shortest.
#include "common/session/playback.h"

#include <algorithm>

#include "common/session/replay.h"
#include "common/world/image.h"

namespace orrery {

Result<std::unique_ptr<Playback>> Playback::open(OpenSegment open_segment) {
  std::unique_ptr<Playback> playback(new Playback(std::move(open_segment)));
  if (Status started = playback->go_to_start(); !started) return started.error();
  playback->checkpoints_ = find_checkpoints(playback->open_segment_);
  return playback;
}

Status Playback::go_to_start() {
  Result<std::unique_ptr<ByteSource>> source = open_segment_(0);
  if (!source) return source.error();
  if (!source.value()) return Error{"is not there"};
  first_ = std::move(source.value());
  log_.emplace(*first_, open_segment_);
  Result<LogHeader> header = log_->read_header();
  if (!header) return header.error();
  if (world_) {
    Status restored = restore_image(*world_, start_);
    astray_ = !restored;
    return restored;
  }
  header_ = std::move(header.value());
  Result<World> world = initial_world(header_);
  if (!world) return world.error();
  world_.emplace(std::move(world.value()));
  save_image(*world_, start_);
  return ok_status();
}

bool Playback::restore(const CheckpointAt& at) {
  TickRecord record;
  Checkpoint checkpoint;
  if (!log_->go_to(at) || log_->next(record, checkpoint) != RecordType::checkpoint) return false;
  return restore_image(*world_, checkpoint.image).ok() && world_->tick == checkpoint.tick &&
         world_->hash == checkpoint.hash;
}

Status Playback::go_before(Tick tick) {
  const auto behind =
      std::upper_bound(checkpoints_.begin(), checkpoints_.end(), tick,
                       [](Tick wanted, const CheckpointAt& at) { return wanted < at.place.tick; });
  const bool on_the_way = !astray_ && world_->tick <= tick;
  if (on_the_way &&
      (behind == checkpoints_.begin() || std::prev(behind)->place.tick <= world_->tick)) {
    return ok_status();
  }
  astray_ = true;
  for (auto at = behind; astray_ && at != checkpoints_.begin();) astray_ = !restore(*--at);
  return astray_ ? go_to_start() : ok_status();
}

Status Playback::go_to(Tick tick, Executor& executor, const std::function<void()>& progress) {
  if (!astray_ && world_->tick == tick) return ok_status();
  if (Status gone = go_before(tick); !gone) return gone;
  Status replayed = replay_to(*log_, header_, *world_, executor, tick, progress);
  astray_ = !replayed;
  if (replayed && world_->tick < tick && unreadable()) return *unreadable();
  return replayed;
}

}  // namespace orrery
