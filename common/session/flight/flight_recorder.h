// Keeps the last seconds of a session in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/executor.h"
#include "common/core/ids.h"
#include "common/session/log_records.h"
#include "common/world/world.h"

namespace orrery::session {

// One tick in the flight recorder.
struct FlightTick {
  Tick tick;
  std::uint64_t hash = 0;            // hash of the session's state
  std::vector<std::uint8_t> record;  // payload of the log record
  std::vector<std::uint8_t> image;   // session's state after the tick, or empty
};

// Length of the flight recorder: it keeps the ticks of at least the last kFlightSeconds.
inline constexpr std::uint64_t kFlightSeconds = 10;

// A ring of the last ticks of a session that is compared with another copy of it. At least one tick
// has an image. A lasting image, one per second, stays as long as its tick. The image of another
// tick goes when the comparison has passed the tick. If images grow, fewer of them are lasting ones
// (make_room). Not thread-safe.
class FlightRecorder {
 public:
  // Begins with the state of `world`. `bytes_max` is the limit for all images. If they would exceed
  // it, lasting images are rarer. Images that grow may exceed the limit for a while.
  FlightRecorder(const World& world, std::size_t bytes_max);

  // Records the next tick of the session, which `world` has just made. `record` is the payload of
  // its log record, and `passed` the last tick that the comparison has passed.
  // REQUIRES: world.tick() follows newest().
  void add(const World& world, Bytes record, Tick passed);

  // Drops the image of a tick that the comparison has passed, unless it is a lasting one.
  void pass(std::uint64_t tick);

  // Return the range of recorded ticks, and one of them. REQUIRES: at() is given one of them.
  std::uint64_t oldest() const { return oldest_; }
  std::uint64_t newest() const { return newest_; }
  bool holds(std::uint64_t tick) const { return tick >= oldest_ && tick <= newest_; }
  const FlightTick& at(std::uint64_t tick) const { return ring_[tick % ring_.size()]; }
  // Returns the oldest tick with an image.
  std::uint64_t oldest_image() const;

  // Moves out all ticks from the oldest one with an image on, ascending. No tick may be added
  // later.
  std::vector<FlightTick> take();

 private:
  void keep(const World& world, Bytes record, Tick passed);
  bool is_lasting(std::uint64_t tick) const { return (tick - first_) % interval_ == 0; }
  void make_room(const World& world, Tick passed);
  void drop_image(FlightTick& tick);
  FlightTick& slot(std::uint64_t tick) { return ring_[tick % ring_.size()]; }

  const std::uint64_t first_;  // tick of the world when the recorder began
  const std::size_t bytes_max_;
  std::uint64_t interval_ = 0;   // ticks from one lasting image to the next
  std::size_t passing_max_ = 0;  // maximum number of other images
  std::size_t passing_ = 0;      // current number of other images
  std::size_t images_size_ = 0;  // bytes of all images
  std::size_t last_image_size_ = 0;
  std::vector<FlightTick> ring_;  // ticks oldest_ to newest_
  std::vector<std::vector<std::uint8_t>> spare_images_;
  std::uint64_t oldest_;
  std::uint64_t newest_;
};

// Decodes the record of a tick. Returns false if the record is invalid, or if its hash is not the
// hash of the session's state.
bool decode(const FlightTick& tick, TickRecord& record);

// Restores the image of a tick. Returns false if it is not a valid state of that tick.
bool restore(World& world, const FlightTick& tick);

// Brings `world` to the recorded state after `tick`: restores the newest image at or before `tick`,
// and repeats the ticks after the image. Returns false if the recorder has no such image, or if
// another state results.
bool replay_to(std::uint64_t tick, const FlightRecorder& recorder, World& world,
               Executor& executor);

}  // namespace orrery::session
