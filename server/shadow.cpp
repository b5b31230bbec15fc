// Owns how a session is followed, and what is kept of it.
#include "server/shadow.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <utility>

#include "common/core/float_environment.h"
#include "common/math/ulps.h"
#include "common/session/log_records.h"
#include "common/session/log_writer.h"
#include "common/world/image.h"
#include "common/world/step.h"

namespace orrery {
namespace {

// Images grow as bodies come and touch.
constexpr std::size_t kGrowth = 2;

std::size_t ticks_kept(const World& world, std::size_t image_bytes) {
  const std::uint64_t wanted = kFlightSeconds * world.scene.tick_rate;
  const std::uint64_t room = kFlightBytesMax / (kGrowth * image_bytes);
  return static_cast<std::size_t>(
      std::clamp<std::uint64_t>(room, 2, std::max<std::uint64_t>(wanted, 2)));
}

// Reads what the log has of a tick; false if that is not of the tick of the session.
bool decode(const FlightTick& session, TickRecord& record) {
  return decode_tick(session.record, record, RecordType::tick) && record.hash == session.hash;
}

// False if the session had a state that no world can have.
bool restore(World& world, const FlightTick& tick) {
  return restore_image(world, tick.image) && world.tick == tick.tick && world.hash == tick.hash;
}

std::string shortest(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

// A segment of the flight recorder's log.
class StreamSink final : public ByteSink {
 public:
  explicit StreamSink(const std::string& path) : file_(path, std::ios::binary | std::ios::trunc) {}
  bool append(Bytes bytes) override {
    file_.write(reinterpret_cast<const char*>(bytes.data()),
                static_cast<std::streamsize>(bytes.size()));
    return file_.good();
  }
  bool close() {
    file_.close();
    return file_.good();
  }

 private:
  std::ofstream file_;
};

}  // namespace

Shadow::Shadow(const World& world, std::string build, Alarm alarm)
    : build_(std::move(build)),
      alarm_(std::move(alarm)),
      oldest_(world.tick.value),
      newest_(world.tick.value),
      state_{world.tick},
      own_(world.scene) {
  std::vector<std::uint8_t> image;
  save_image(world, image);
  ring_.resize(ticks_kept(world, image.size()));
  keep(world, {});
  const bool restored = restore(own_, at(newest_));
  ORRERY_ASSERT(restored);
  thread_ = std::thread([this] { follow(); });
}

Shadow::~Shadow() {
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
    ORRERY_ASSERT(world.tick.value == newest_ + 1);
    ++newest_;
    if (newest_ - oldest_ == ring_.size()) ++oldest_;
    keep(world, record);
  }
  changed_.notify_one();
}

ShadowState Shadow::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void Shadow::keep(const World& world, Bytes record) {
  FlightTick& slot = at(newest_);
  slot.tick = world.tick;
  slot.hash = world.hash;
  slot.record.assign(record.begin(), record.end());
  save_image(world, slot.image);
}

void Shadow::follow() {
  ORRERY_ASSERT(float_environment_is_sound());
  FlightTick next;  // without its image
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ending_ || newest_ > own_.tick.value; });
    if (newest_ == own_.tick.value) return;
    const std::uint64_t tick = std::max(own_.tick.value + 1, oldest_);
    next.tick = at(tick).tick;
    next.hash = at(tick).hash;
    next.record = at(tick).record;
    bool agreed = true;
    if (tick > own_.tick.value + 1) {
      state_.passed_over += tick - own_.tick.value;  // that one is taken as it is
      agreed = restore(own_, at(tick));
    } else {
      lock.unlock();
      agreed = agrees(next);
      lock.lock();
    }
    state_.tick = next.tick;
    if (agreed) continue;
    state_.differs = true;
    lock.unlock();  // nothing is written to the ring from here on
    return raise(next);
  }
}

bool Shadow::agrees(const FlightTick& session) {
  TickRecord record;
  if (!decode(session, record)) return false;
  step(own_, record.commands, executor_);
  return own_.hash == session.hash && own_.applied.size() == record.commands.size();
}

void Shadow::raise(FlightTick& session) {
  const std::uint64_t tick = session.tick.value;
  World before(own_.scene);
  const bool known = holds(tick - 1) && restore(before, at(tick - 1));
  if (holds(tick)) session.image = at(tick).image;
  TickRecord record;
  const bool recorded = decode(session, record);
  const Account a{record.commands, session.hash, build_, "", session.image, session.hash};
  const Account b{record.commands, {}, build_, ""};
  Divergence found = explain(known ? &before : nullptr, session.tick, a, b, executor_);
  const bool as_recomputed = found.source_a == Source::checkpoint && found.hash_a == found.hash_b &&
                             found.command_differences.empty() && !found.state.any();
  if (!recorded) {
    found.cause = Cause::machine;
    found.why =
        "the log has another hash of the tick than the session, or commands that mean nothing: a "
        "fault of its encoder, memory that fails, or a write from elsewhere";
  } else if (as_recomputed && found.cause == Cause::checkpoint) {
    found.cause = Cause::machine;
    found.why =
        "the session is right, as its tick comes out the same once more: it is the shadow that "
        "went wrong, by memory that fails or a write from elsewhere";
  }
  std::vector<FlightTick> ticks;
  for (std::uint64_t t = oldest_; t <= newest_; ++t) ticks.push_back(std::move(at(t)));
  alarm_(found, ticks);
}

std::string to_line(const Divergence& found) {
  std::string line = "the shadow differs at tick " + std::to_string(found.tick.value);
  if (found.field) {
    const FieldDifference& field = *found.field;
    line += ": body " + std::to_string(field.body.value) + ", " +
            std::string(field_name(field.field)) + " is " + shortest(field.a) + ", " +
            std::to_string(ulps_between(field.a, field.b)) + " ulps from what it should be";
  }
  return line + "; cause: " + std::string(cause_name(found.cause)) + ", " + found.why;
}

Status write_flight(const std::string& path, const Scene& scene, const std::string& build,
                    const SessionId& session, const std::vector<FlightTick>& ticks) {
  ORRERY_ASSERT(!ticks.empty());
  World world(scene);
  LogHeader header = make_log_header(world, build, session);
  StreamSink whole(path);
  const SessionLog start(whole, header);
  header.scene = {};
  header.segment = 1;
  header.after_tick = ticks.front().tick;
  header.after_checksum = start.last_checksum();
  header.after_loss = true;
  StreamSink flight(path + ".0001");
  if (restore(world, ticks.front())) {
    SessionLog log(flight, header, world);
    TickRecord record;
    for (std::size_t i = 1; i < ticks.size() && restore(world, ticks[i]); ++i) {
      decode(ticks[i], record);  // of one that means nothing, the commands that do
      world.applied.assign(record.commands.begin(), record.commands.end());
      log.append_tick(world);
      log.add_checkpoint(world);
    }
    log.close();
  }
  if (!whole.close() || !flight.close()) return Error{path + ": cannot be written"};
  return ok_status();
}

}  // namespace orrery
