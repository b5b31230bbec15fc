// Keeps the last seconds of a session in memory.
#include "common/session/flight/flight_recorder.h"

#include <algorithm>
#include <utility>

#include "common/world/image/image.h"
#include "common/world/step.h"

namespace orrery::session {
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
  std::size_t passing = 0;  // most other images, which go when their tick was passed
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
  keep(world, {}, {});
}

void FlightRecorder::add(const World& world, Bytes record, Tick passed) {
  ORRERY_ASSERT(world.tick().value == newest_ + 1);
  make_room(world, passed);
  ++newest_;
  if (newest_ - oldest_ == ring_.size()) ++oldest_;
  keep(world, record, passed);
}

// Saves the image of a tick that is a lasting one, or that was not passed yet.
void FlightRecorder::keep(const World& world, Bytes record, Tick passed) {
  FlightTick& kept = slot(newest_);
  drop_image(kept);  // image of the old tick in this slot
  kept.tick = world.tick();
  kept.hash = world.hash();
  kept.record.assign(record.begin(), record.end());
  const bool lasting = is_lasting(newest_);
  if (!lasting && passed.value >= newest_) return;
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

bool decode(const FlightTick& tick, TickRecord& record) {
  return decode_tick(tick.record, record, RecordType::tick) && record.hash == tick.hash;
}

bool restore(World& world, const FlightTick& tick) {
  return restore_image(world, tick.image) && world.tick() == tick.tick && world.hash() == tick.hash;
}

bool replay_to(std::uint64_t tick, const FlightRecorder& recorder, World& world,
               Executor& executor) {
  std::uint64_t from = tick;
  while (recorder.holds(from) && recorder.at(from).image.empty()) --from;
  if (!recorder.holds(from) || !restore(world, recorder.at(from))) return false;
  TickRecord record;
  while (from < tick && decode(recorder.at(++from), record)) {
    step(world, record.commands, executor);
  }
  return world.tick().value == tick && world.hash() == recorder.at(tick).hash;
}

}  // namespace orrery::session
