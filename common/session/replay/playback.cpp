// Moves to any tick of a recorded session, by the shortest way.
#include "common/session/replay/playback.h"

#include <algorithm>
#include <utility>

#include "common/session/replay/replay.h"
#include "common/session/versions.h"
#include "common/world/image/image.h"

namespace orrery::session {
namespace {

// Beyond this number of invalid checkpoints, playback tries no others and starts from state 0.
constexpr std::uint32_t kBadCheckpointsMax = 32;
// Ticks that a playback steps rather than restores a kept state.
constexpr std::uint64_t kWorthStepping = 2;

// Returns the initial state as this build makes it.
Result<World> world_of(const codec::LogHeader& header, OtherRules other) {
  if (other == OtherRules::refused || header.rules == kRulesVersion) return initial_world(header);
  Result<Scene> scene = recorded_scene(header);
  if (!scene) return scene.error();
  return World(std::move(scene.value()));
}

}  // namespace

Result<std::unique_ptr<Playback>> Playback::open(Result<OpenedLog> log, OtherRules other,
                                                 std::shared_ptr<KeptStates> kept, WayBack way) {
  ORRERY_ASSERT(kept);
  if (!log) return log.error();
  Result<World> world = world_of(log.value().header, other);
  if (!world) return world.error();
  std::unique_ptr<Playback> playback(new Playback(std::move(log.value())));
  const codec::LogHeader& header = playback->log_.header;
  playback->knows_start_ =
      header.rules == kRulesVersion || world.value().hash() == header.initial_hash;
  playback->out_of_sync_ = !playback->knows_start_;
  playback->world_.emplace(std::move(world.value()));
  save_image(*playback->world_, playback->start_);
  playback->kept_ = std::move(kept);
  playback->way_ = way;
  playback->checkpoints_ = find_checkpoints(playback->log_.open_segment, Indexes::believed);
  return playback;
}

Status Playback::go_to_start() {
  ORRERY_ASSERT(world_ && !start_.empty());
  place_.reset();
  if (!log_.reader->go_to_start()) {
    const std::optional<Error>& unreadable = tail().unreadable;
    return unreadable ? *unreadable : Error{"cannot be read again from its start"};
  }
  return restore_image(*world_, start_);
}

bool Playback::restore(const CheckpointLocation& at) {
  TickRecord record;
  Checkpoint checkpoint;
  place_.reset();
  return log_.reader->go_to(at) &&
         log_.reader->next(record, checkpoint) == RecordType::checkpoint &&
         restore_checkpoint(*world_, checkpoint);
}

std::vector<CheckpointLocation>::iterator Playback::nearest_before(Tick tick) {
  const auto behind = std::upper_bound(
      checkpoints_.begin(), checkpoints_.end(), tick,
      [](Tick wanted, const CheckpointLocation& at) { return wanted < at.place.tick; });
  return behind == checkpoints_.begin() ? checkpoints_.end() : std::prev(behind);
}

void Playback::distrust(std::vector<CheckpointLocation>::iterator at) {
  ORRERY_ASSERT(at != checkpoints_.end());
  if (indexes_ == Indexes::ignored) {
    checkpoints_.erase(at);
    if (++bad_checkpoints_ > kBadCheckpointsMax) checkpoints_.clear();
    return;
  }
  indexes_ = Indexes::ignored;
  checkpoints_ = find_checkpoints(log_.open_segment, indexes_);
}

Status Playback::go_to_checkpoint(Tick tick) {
  out_of_sync_ = true;
  for (auto at = nearest_before(tick); at != checkpoints_.end(); at = nearest_before(tick)) {
    if (restore(*at)) return ok_status();
    distrust(at);
  }
  return go_to_start();
}

Status Playback::go_near(Tick tick) {
  const bool is_usable = !out_of_sync_ && world_->tick() <= tick;
  const auto at = nearest_before(tick);
  const Tick stored = at == checkpoints_.end() ? Tick{} : at->place.tick;
  if (!is_usable && way_ == WayBack::kept) kept_->plan(stored, tick, start_.size());
  const LogPosition* const kept = kept_->before(tick);
  const Tick known = kept == nullptr ? Tick{} : kept->tick;
  if (is_usable && stored <= world_->tick() &&
      known.value <= world_->tick().value + kWorthStepping) {
    return ok_status();
  }
  if (kept == nullptr || known < stored) return go_to_checkpoint(tick);
  place_ = *kept;
  return restore_image(*world_, kept_->image(known));
}

Status Playback::take_up_place(Tick tick) {
  ORRERY_ASSERT(world_->tick() < tick);
  const std::optional<LogPosition> place = std::exchange(place_, std::nullopt);
  return !place || log_.reader->go_to(*place) ? ok_status() : go_to_checkpoint(tick);
}

std::string Playback::known_ticks() const {
  ORRERY_ASSERT(log_.header.rules != kRulesVersion);
  constexpr std::size_t kNamed = 8;
  std::vector<std::string> ticks;
  if (knows_start_) ticks.push_back("0");
  for (const CheckpointLocation& at : checkpoints_)
    ticks.push_back(std::to_string(at.place.tick.value));
  if (ticks.empty()) return "this build can read none of its states";
  std::string text = ticks.size() == 1 ? "this build can read its state of tick "
                                       : "this build can read its states of ticks ";
  for (std::size_t i = 0; i < std::min(ticks.size(), kNamed); ++i) {
    text += (i == 0 ? "" : ", ") + ticks[i];
  }
  if (ticks.size() > kNamed) text += ", ..., " + ticks.back();
  return text;
}

Status Playback::go_to_known(Tick tick) {
  ORRERY_ASSERT(log_.header.rules != kRulesVersion);
  TickRecord record;
  Checkpoint checkpoint;
  out_of_sync_ = true;
  if (tick.value == 0 && knows_start_) {
    Status gone = go_to_start();
    out_of_sync_ = !gone;
    return gone;
  }
  for (auto at = nearest_before(tick); at != checkpoints_.end() && at->place.tick == tick;
       at = nearest_before(tick)) {
    if (log_.reader->go_to(*at) &&
        log_.reader->next(record, checkpoint) == RecordType::checkpoint) {
      Status restored = restore_of_other_rules(*world_, checkpoint);
      out_of_sync_ = !restored;
      return restored;
    }
    distrust(at);
  }
  return Error{"was recorded under " + other_rules(log_.header.rules) + "; " + known_ticks()};
}

Status Playback::go_to(Tick tick, Executor& executor, const std::function<void()>& progress,
                       std::uint64_t ticks_max) {
  ORRERY_ASSERT(progress && ticks_max > 0);
  if (!out_of_sync_ && world_->tick() == tick) return ok_status();
  if (log_.header.rules != kRulesVersion) return go_to_known(tick);
  const auto arrive = [&] {
    if (way_ == WayBack::kept) kept_->pass(*world_, log_.reader->place());
    progress();
  };
  Status gone = go_near(tick);
  if (gone && world_->tick() < tick) gone = take_up_place(tick);
  if (gone) {
    const std::uint64_t ticks =
        std::min(ticks_max, tick.value - std::min(tick, world_->tick()).value);
    gone = replay_to(*log_.reader, log_.header, *world_, executor,
                     Tick{world_->tick().value + ticks}, arrive);
  }
  out_of_sync_ = !gone;
  if (gone && world_->tick() < tick && tail().unreadable) return *tail().unreadable;
  return gone;
}

}  // namespace orrery::session
