// Replays the log of a running session in a second world, and records its last seconds.
#include "server/shadow.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "common/core/printable.h"
#include "common/host/disk/log_segments.h"
#include "common/host/disk/segment_files.h"
#include "common/host/process/sound_thread.h"
#include "common/math/ulps.h"
#include "common/session/log_records.h"
#include "common/session/writer/log_writer.h"
#include "common/session/writer/segmented_log.h"
#include "common/world/image/image.h"
#include "common/world/step.h"
#include "server/operator/log_line.h"

namespace orrery::server {
namespace {

// The recorder leaves room for images to grow by this factor. Spawned bodies and contacts enlarge
// them.
constexpr std::size_t kGrowth = 2;

// Dimensions of the flight recorder: a ring of ticks, some with an image (the whole state as
// bytes).
struct Room {
  std::size_t ticks = 0;
  // Ticks between lasting images. A lasting image stays as long as its tick is in the ring.
  std::uint64_t interval = 0;
  std::size_t passing = 0;  // most other images, which go when the shadow has passed their tick
};

// Returns dimensions with which the oldest lasting image in the ring is always at least
// kFlightSeconds old.
Room room_for(const World& world, std::size_t image_bytes, std::size_t bytes_max) {
  constexpr std::uint64_t kPassingMin = 2;
  const std::uint64_t wanted = kFlightSeconds * world.scene().tick_rate;
  const std::uint64_t images =
      std::max<std::uint64_t>(bytes_max / (kGrowth * image_bytes), 2 + kPassingMin);
  const std::uint64_t lasting = std::min(images - kPassingMin, kFlightSeconds + 1);
  const std::uint64_t interval = (wanted + lasting - 2) / (lasting - 1);
  const std::uint64_t ticks = wanted + interval;
  return {static_cast<std::size_t>(ticks), interval,
          static_cast<std::size_t>(std::min(images - lasting, ticks))};
}

// Decodes the record of a tick. Returns false if the record is invalid, or if its hash is not the
// hash that the session computed.
bool decode(const FlightTick& session, session::TickRecord& record) {
  return session::decode_tick(session.record, record, session::RecordType::tick) &&
         record.hash == session.hash;
}

// Restores the image of a tick. Returns false if it is not a valid state of that tick.
bool restore(World& world, const FlightTick& tick) {
  return restore_image(world, tick.image) && world.tick() == tick.tick && world.hash() == tick.hash;
}

// A log under a path that was not in use, and the lock of that log.
struct UnusedLog {
  std::string path;
  std::unique_ptr<host::LogLock> lock;
};

// Claims the first free path of PATH, PATH-2, PATH-3, ...
Result<UnusedLog> claim_unused_name(const std::string& wanted, host::FileSystem& files) {
  constexpr int kAttempts = 100;
  for (int i = 1;; ++i) {
    const std::string path = wanted + (i == 1 ? "" : "-" + std::to_string(i));
    host::LogClaim claim = host::claim_log(path, files);
    const int error_number = claim.name.error_number;
    if (error_number == 0) return UnusedLog{path, std::move(claim.lock)};
    const bool taken = error_number == EEXIST || error_number == EWOULDBLOCK;
    if (!taken || i == kAttempts) return claim.name.error(path);
  }
}

// Appends the records of a tick. The first tick has only a checkpoint.
void append_records(const FlightTick& tick, bool is_first, session::RecordBatch& records) {
  std::vector<std::uint8_t> payload;
  if (!is_first) {
    session::TickRecord record;
    decode(tick, record);  // an invalid record gives the commands before its fault
    ByteWriter out(payload);
    session::encode_tick(tick.hash, record.commands, out);
    records.append({session::RecordType::tick, tick.tick, payload});
  }
  if (tick.image.empty() || tick.image.size() > session::kImageBytesMax) return;
  session::encode_checkpoint(tick.tick, tick.hash, payload);
  records.append({session::RecordType::checkpoint, tick.tick, payload, tick.image});
}

}  // namespace

Shadow::Shadow(const World& world, std::string build, Alarm alarm, std::size_t bytes_max)
    : build_(std::move(build)),
      alarm_(std::move(alarm)),
      first_(world.tick().value),
      bytes_max_(bytes_max),
      oldest_(first_),
      newest_(first_),
      state_{world.tick()},
      own_(world.scene()) {
  std::vector<std::uint8_t> image;
  save_image(world, image);
  const Room room = room_for(world, image.size(), bytes_max_);
  interval_ = room.interval;
  passing_max_ = room.passing;
  ring_.resize(room.ticks);
  spare_images_.reserve(room.ticks);
  keep(world, {});
  const bool restored = restore(own_, at(newest_));
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
  return state_.differs ? 0 : newest_ - own_.tick().value;
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
    ORRERY_ASSERT(world.tick().value == newest_ + 1);
    make_room(world);
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
  drop_image(slot);  // image of the old tick in this slot
  slot.tick = world.tick();
  slot.hash = world.hash();
  slot.record.assign(record.begin(), record.end());
  const bool lasting = is_lasting(newest_);
  const std::size_t size = images_size_ + last_image_size_;
  if (!lasting && (passing_ >= passing_max_ || size > 2 * bytes_max_)) return;
  if (!lasting) ++passing_;
  if (!spare_images_.empty()) {
    slot.image = std::move(spare_images_.back());
    spare_images_.pop_back();
  }
  save_image(world, slot.image);
  last_image_size_ = slot.image.size();
  images_size_ += last_image_size_;
}

// Makes lasting images rarer if images have grown, to stay below bytes_max_. Makes the ring longer
// at the same time, so that its oldest image is still kFlightSeconds old. Keeps the oldest image
// even if its tick is no longer a lasting one, because a saved flight begins with it.
void Shadow::make_room(const World& world) {
  const Room room = room_for(world, last_image_size_, bytes_max_);
  const std::uint64_t before = interval_;
  const std::uint64_t wanted = ring_.size() - interval_;
  while (interval_ < room.interval && 2 * interval_ <= wanted) interval_ *= 2;
  if (interval_ == before) return;
  passing_max_ = room.passing;
  std::vector<FlightTick> ring(wanted + interval_);
  for (std::uint64_t tick = oldest_; tick <= newest_; ++tick) {
    ring[tick % ring.size()] = std::move(at(tick));
  }
  ring_ = std::move(ring);
  bool is_oldest = true;
  for (std::uint64_t tick = oldest_; tick <= newest_; ++tick) {
    const bool lasted = (tick - first_) % before == 0 && !at(tick).image.empty();
    if (!lasted) continue;
    const bool goes = !std::exchange(is_oldest, false) && tick <= state_.tick.value;
    if (is_lasting(tick)) continue;
    ++passing_;
    if (goes) drop_image(at(tick));
  }
}

void Shadow::drop_image(FlightTick& tick) {
  if (tick.image.empty()) return;
  if (!is_lasting(tick.tick.value)) --passing_;
  images_size_ -= tick.image.size();
  std::vector<std::uint8_t> image = std::exchange(tick.image, {});
  if (images_size_ <= bytes_max_ / 2) spare_images_.push_back(std::move(image));
}

void Shadow::follow() {
  FlightTick next;  // without its image
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ending_ || newest_ > own_.tick().value; });
    if (is_over()) return;
    const std::uint64_t tick = next_tick();
    next.tick = at(tick).tick;
    next.hash = at(tick).hash;
    next.record = at(tick).record;
    bool agreed = true;
    if (tick > own_.tick().value + 1) {
      state_.passed_over += tick - own_.tick().value;  // the state of `tick` itself is not compared
      agreed = restore(own_, at(tick));
    } else {
      lock.unlock();
      agreed = agrees(next);
      lock.lock();
    }
    state_.tick = next.tick;
    if (agreed) {
      if (holds(tick) && !is_lasting(tick)) drop_image(at(tick));
      continue;
    }
    state_.differs = true;
    lock.unlock();  // once `differs` is set, the session writes no tick to the ring
    return raise(next);
  }
}

bool Shadow::is_over() const {
  return newest_ == own_.tick().value || std::chrono::steady_clock::now() >= end_at_;
}

std::uint64_t Shadow::next_tick() {
  std::uint64_t tick = own_.tick().value + 1;
  if (tick >= oldest_) return tick;
  for (tick = oldest_; at(tick).image.empty();) ++tick;
  ORRERY_ASSERT(holds(tick));  // the ring always has a lasting image
  return tick;
}

bool Shadow::agrees(const FlightTick& session) {
  session::TickRecord record;
  if (!decode(session, record)) return false;
  step(own_, record.commands, executor_);
  return own_.hash() == session.hash && own_.applied().size() == record.commands.size();
}

bool Shadow::replay_to(std::uint64_t tick, World& world) {
  std::uint64_t from = tick;
  while (holds(from) && at(from).image.empty()) --from;
  if (!holds(from) || !restore(world, at(from))) return false;
  session::TickRecord record;
  while (from < tick && decode(at(++from), record)) step(world, record.commands, executor_);
  return world.tick().value == tick && world.hash() == at(tick).hash;
}

void Shadow::raise(FlightTick& session) {
  const std::uint64_t tick = session.tick.value;
  World before(own_.scene());
  const bool known = replay_to(tick - 1, before);
  if (holds(tick)) session.image = at(tick).image;
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
  std::vector<FlightTick> ticks;
  for (std::uint64_t t = oldest_; t <= newest_; ++t) {
    if (!ticks.empty() || !at(t).image.empty()) ticks.push_back(std::move(at(t)));
  }
  alarm_(found, ticks);
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

Result<std::string> write_flight(const std::string& path, const Scene& scene,
                                 const std::string& build, const codec::SessionId& session,
                                 const std::vector<FlightTick>& ticks, host::FileSystem& files) {
  constexpr std::size_t kBatchBytes = std::size_t{4} << 20;
  ORRERY_ASSERT(!ticks.empty() && !ticks.front().image.empty());
  const Result<UnusedLog> log = claim_unused_name(path, files);
  if (!log) return log.error();
  const std::string& name = log.value().path;
  host::SegmentFiles segments(files, name);
  session::SegmentedLog written(segments, std::numeric_limits<std::size_t>::max());
  session::RecordBatch records;
  records.begin(session::make_log_header(World(scene), build, session), nullptr);
  written.commit(records);
  written.skip_to_checkpoint();  // the next segment starts with the first image
  records.clear();
  for (const FlightTick& tick : ticks) {
    append_records(tick, &tick == &ticks.front(), records);
    if (records.bytes() < kBatchBytes) continue;
    written.commit(records);
    records.clear();
  }
  std::vector<std::uint8_t> payload;
  session::encode_end(ticks.back().tick, payload);
  records.append({session::RecordType::end, ticks.back().tick, payload});
  written.commit(records);
  const session::LogState& state = written.state();
  if (!state.failing && state.durable == ticks.back().tick) return name;
  segments.discard();  // the disk may be full
  if (state.failing) return Error{state.failure};
  return Error{printable(name) + ": the state is too large for a log"};
}

}  // namespace orrery::server
