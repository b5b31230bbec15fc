// Replays the log of a running session in a second world and thread.
#include "server/shadow.h"

#include <utility>

#include "common/host/process/sound_thread.h"
#include "common/math/ulps.h"
#include "common/world/step.h"
#include "server/operator/log_line.h"

namespace orrery::server {

Shadow::Shadow(const World& world, std::string build, Alarm alarm, std::size_t bytes_max)
    : build_(std::move(build)),
      alarm_(std::move(alarm)),
      recorder_(world, bytes_max),
      state_{world.tick()},
      own_(world.scene()) {
  const bool restored = session::restore(own_, recorder_.at(recorder_.newest()));
  ORRERY_ASSERT(restored);
  thread_ = host::start_checked_thread([this] { follow(); });
}

Shadow::~Shadow() {
  if (thread_.joinable()) end();
}

std::uint64_t Shadow::end_within(std::chrono::milliseconds limit) {
  {
    const std::lock_guard lock(mutex_);
    end_at_ = std::chrono::steady_clock::now() + limit;
  }
  end();
  return state_.differs ? 0 : recorder_.newest() - own_.tick().value;
}

void Shadow::end() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Shadow::observe(const World& world, Bytes record) {
  {
    const std::lock_guard lock(mutex_);
    if (state_.differs) return;
    recorder_.add(world, record, state_.tick);
  }
  changed_.notify_one();
}

ShadowState Shadow::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void Shadow::follow() {
  session::FlightTick next;  // without its image
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ending_ || recorder_.newest() > own_.tick().value; });
    if (is_over()) return;
    const std::uint64_t tick = next_tick();
    next.tick = recorder_.at(tick).tick;
    next.hash = recorder_.at(tick).hash;
    next.record = recorder_.at(tick).record;
    bool agreed = true;
    if (tick > own_.tick().value + 1) {
      state_.passed_over += tick - own_.tick().value;  // the state of `tick` itself is not compared
      agreed = session::restore(own_, recorder_.at(tick));
    } else {
      lock.unlock();
      agreed = agrees(next);
      lock.lock();
    }
    state_.tick = next.tick;
    if (agreed) {
      recorder_.pass(tick);
      continue;
    }
    state_.differs = true;
    lock.unlock();  // once `differs` is set, the session writes no tick to the recorder
    return raise(next);
  }
}

bool Shadow::is_over() const {
  return recorder_.newest() == own_.tick().value || std::chrono::steady_clock::now() >= end_at_;
}

std::uint64_t Shadow::next_tick() const {
  const std::uint64_t tick = own_.tick().value + 1;
  return tick >= recorder_.oldest() ? tick : recorder_.oldest_image();
}

bool Shadow::agrees(const session::FlightTick& session) {
  session::TickRecord record;
  if (!decode(session, record)) return false;
  step(own_, record.commands, executor_);
  return own_.hash() == session.hash && own_.applied().size() == record.commands.size();
}

void Shadow::raise(session::FlightTick& session) {
  const std::uint64_t tick = session.tick.value;
  World before(own_.scene());
  const bool known = session::replay_to(tick - 1, recorder_, before, executor_);
  if (recorder_.holds(tick)) session.image = recorder_.at(tick).image;
  session::TickRecord record;
  const bool recorded = decode(session, record);
  const session::TickSide a{record.commands, session.hash, build_, "", session.image, session.hash};
  const session::TickSide b{record.commands, {}, build_, ""};
  session::Divergence found =
      session::explain(known ? &before : nullptr, session.tick, a, b, executor_);
  const bool as_recomputed =
      (found.source_a == session::Source::checkpoint || session.image.empty()) &&
      found.hash_a == found.hash_b && found.command_differences.empty() && !found.state.any();
  if (!recorded) {
    found.cause = session::Cause::machine;
    found.why =
        "the hash of the tick in the log is not the session's, or its commands cannot be decoded: "
        "an encoder bug, failing memory, or a write to its memory from outside";
  } else if (as_recomputed && found.cause == session::Cause::checkpoint) {
    found.cause = session::Cause::machine;
    found.why =
        "the session is right: computing the tick again gives its state. The shadow went wrong: "
        "failing memory, or a write to its memory from outside";
  }
  alarm_(found, recorder_.take());
}

void log_divergence(const session::Divergence& found) {
  std::vector<LogField> fields = {{"tick", found.tick.value}};
  if (found.field) {
    const FieldDifference& field = *found.field;
    fields.emplace_back("body", field.body.value);
    fields.emplace_back("field", field_name(field.field));
    fields.emplace_back("value", field.a);
    fields.emplace_back("ulps", ulps_between(field.a, field.b));
  }
  fields.emplace_back("cause", session::cause_name(found.cause));
  fields.emplace_back("reason", found.why);
  log_event(LogEvent::shadow_diverged, fields);
}

}  // namespace orrery::server
