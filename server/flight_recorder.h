// Keeps the last seconds of a session in memory, and writes them as a log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/codec/log_codec.h"
#include "common/core/bytes.h"
#include "common/core/ids.h"
#include "common/core/result.h"
#include "common/host/disk/file_system.h"
#include "common/world/world.h"

namespace orrery::server {

// One tick in the flight recorder.
struct FlightTick {
  Tick tick;
  std::uint64_t hash = 0;            // hash of the session's state
  std::vector<std::uint8_t> record;  // payload of the log record
  std::vector<std::uint8_t> image;   // session's state after the tick, or empty
};

// Length and size of the flight recorder. It keeps the ticks of at least the last kFlightSeconds.
// It also keeps images: one per second, and those of ticks that the shadow has not reached yet. If
// they would exceed kFlightBytesMax, it saves images less often. Images that grow may exceed the
// limit for a while.
inline constexpr std::uint64_t kFlightSeconds = 10;
inline constexpr std::size_t kFlightBytesMax = std::size_t{256} << 20;

// A ring of the last ticks of a session. At least one of them has an image. A lasting image stays
// as long as its tick. Other images go when the shadow has passed their tick. If images grow, fewer
// of them are lasting ones (make_room). Not thread-safe.
class FlightRecorder {
 public:
  // Begins with the state of `world`. `bytes_max` is the limit for all images.
  FlightRecorder(const World& world, std::size_t bytes_max);

  // Records the next tick of the session, which `world` has just made. `record` is the payload of
  // its log record, and `passed` the last tick that the shadow has passed.
  // REQUIRES: world.tick() follows newest().
  void add(const World& world, Bytes record, Tick passed);

  // Drops the image of a tick that the shadow has passed, unless it is a lasting one.
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
  void keep(const World& world, Bytes record);
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

// Writes the ticks of the flight recorder as a log and syncs it. PATH holds only the header, and
// PATH.0001 starts at the first image. The log has a checkpoint for each image, so
// `orrery verify PATH` finds the divergence that the shadow found. If PATH exists, uses PATH-2,
// PATH-3, ... and returns the path used. An Error names the file. REQUIRES: the first tick has an
// image.
Result<std::string> write_flight(const std::string& path, const Scene& scene,
                                 const std::string& build, const codec::SessionId& session,
                                 const std::vector<FlightTick>& ticks,
                                 host::FileSystem& files = host::file_system());

}  // namespace orrery::server
