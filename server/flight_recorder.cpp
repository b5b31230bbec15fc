// Keeps the last seconds of a session in memory, and writes them as a log.
#include "server/flight_recorder.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <memory>
#include <utility>

#include "common/core/printable.h"
#include "common/host/disk/log_segments.h"
#include "common/host/disk/segment_files.h"
#include "common/session/log_records.h"
#include "common/session/writer/log_writer.h"
#include "common/session/writer/segmented_log.h"
#include "common/world/image/image.h"

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
    // An invalid record gives the commands before its fault.
    static_cast<void>(session::decode_tick(tick.record, record, session::RecordType::tick));
    ByteWriter out(payload);
    session::encode_tick(tick.hash, record.commands, out);
    records.append({session::RecordType::tick, tick.tick, payload});
  }
  if (tick.image.empty() || tick.image.size() > session::kImageBytesMax) return;
  session::encode_checkpoint(tick.tick, tick.hash, payload);
  records.append({session::RecordType::checkpoint, tick.tick, payload, tick.image});
}

}  // namespace

FlightRecorder::FlightRecorder(const World& world, std::size_t bytes_max)
    : first_(world.tick().value), bytes_max_(bytes_max), oldest_(first_), newest_(first_) {
  std::vector<std::uint8_t> image;
  save_image(world, image);
  const Room room = room_for(world, image.size(), bytes_max_);
  interval_ = room.interval;
  passing_max_ = room.passing;
  ring_.resize(room.ticks);
  spare_images_.reserve(room.ticks);
  keep(world, {});
}

void FlightRecorder::add(const World& world, Bytes record, Tick passed) {
  ORRERY_ASSERT(world.tick().value == newest_ + 1);
  make_room(world, passed);
  ++newest_;
  if (newest_ - oldest_ == ring_.size()) ++oldest_;
  keep(world, record);
}

void FlightRecorder::keep(const World& world, Bytes record) {
  FlightTick& kept = slot(newest_);
  drop_image(kept);  // image of the old tick in this slot
  kept.tick = world.tick();
  kept.hash = world.hash();
  kept.record.assign(record.begin(), record.end());
  const bool lasting = is_lasting(newest_);
  const std::size_t size = images_size_ + last_image_size_;
  if (!lasting && (passing_ >= passing_max_ || size > 2 * bytes_max_)) return;
  if (!lasting) ++passing_;
  if (!spare_images_.empty()) {
    kept.image = std::move(spare_images_.back());
    spare_images_.pop_back();
  }
  save_image(world, kept.image);
  last_image_size_ = kept.image.size();
  images_size_ += last_image_size_;
}

// Makes lasting images rarer if images have grown, to stay below bytes_max_. Makes the ring longer
// at the same time, so that its oldest image is still kFlightSeconds old. Keeps the oldest image
// even if its tick is no longer a lasting one, because a saved flight begins with it.
void FlightRecorder::make_room(const World& world, Tick passed) {
  const Room room = room_for(world, last_image_size_, bytes_max_);
  const std::uint64_t before = interval_;
  const std::uint64_t wanted = ring_.size() - interval_;
  while (interval_ < room.interval && 2 * interval_ <= wanted) interval_ *= 2;
  if (interval_ == before) return;
  passing_max_ = room.passing;
  std::vector<FlightTick> ring(wanted + interval_);
  for (std::uint64_t tick = oldest_; tick <= newest_; ++tick) {
    ring[tick % ring.size()] = std::move(slot(tick));
  }
  ring_ = std::move(ring);
  bool is_oldest = true;
  for (std::uint64_t tick = oldest_; tick <= newest_; ++tick) {
    const bool lasted = (tick - first_) % before == 0 && !at(tick).image.empty();
    if (!lasted) continue;
    const bool goes = !std::exchange(is_oldest, false) && tick <= passed.value;
    if (is_lasting(tick)) continue;
    ++passing_;
    if (goes) drop_image(slot(tick));
  }
}

void FlightRecorder::drop_image(FlightTick& tick) {
  if (tick.image.empty()) return;
  if (!is_lasting(tick.tick.value)) --passing_;
  images_size_ -= tick.image.size();
  std::vector<std::uint8_t> image = std::exchange(tick.image, {});
  if (images_size_ <= bytes_max_ / 2) spare_images_.push_back(std::move(image));
}

void FlightRecorder::pass(std::uint64_t tick) {
  if (holds(tick) && !is_lasting(tick)) drop_image(slot(tick));
}

std::uint64_t FlightRecorder::oldest_image() const {
  std::uint64_t tick = oldest_;
  while (holds(tick) && at(tick).image.empty()) ++tick;
  ORRERY_ASSERT(holds(tick));  // the ring always has a lasting image
  return tick;
}

std::vector<FlightTick> FlightRecorder::take() {
  std::vector<FlightTick> ticks;
  for (std::uint64_t tick = oldest_image(); tick <= newest_; ++tick) {
    ticks.push_back(std::move(slot(tick)));
  }
  return ticks;
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
