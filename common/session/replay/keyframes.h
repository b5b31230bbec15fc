// Keeps states of a whole session in a limited number of bytes, dense near one tick.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/ids.h"
#include "common/session/segment_chain.h"

namespace orrery::session {

// A store of images by tick. When memory is full, it drops the images that are least useful: their
// gap is small, relative to their distance from the centre. Most images are stored as the 32-bit
// words that differ from an earlier one.
class Keyframes {
 public:
  // `bytes_max` limits the bytes of all images. 0: keeps none.
  explicit Keyframes(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // Returns the bytes of all images, at most `bytes_max`.
  std::size_t bytes() const { return bytes_; }

  // Makes `tick` the centre.
  void centre(Tick tick);

  // Returns the place of the last image up to `tick`, or null. It is valid until add().
  const LogPosition* before(Tick tick) const;
  // Returns the image of a tick. REQUIRES: before(tick) returns a place of this tick.
  std::vector<std::uint8_t> image(Tick tick) const;

  // Returns true if an image of `tick` would not be the first to be dropped.
  bool wants(Tick tick) const;
  // Adds the image of `place.tick`, unless there is one. If memory is full, drops others or this
  // one.
  void add(const LogPosition& place, Bytes image);

  // Returns a tick in a gap near the centre that needs an image, if there is one. `last` is the
  // last tick of the session.
  std::optional<Tick> missing(Tick last) const;

 private:
  using Words = std::vector<std::uint32_t>;

  // An image, and the number of frames that are stored as differences from it.
  struct Base {
    Words words;
    std::uint32_t users = 0;
  };
  struct Frame {
    LogPosition place;
    std::size_t size = 0;  // bytes of the image
    std::shared_ptr<Base> base;
    Words delta;  // empty: the image is that of the base
  };

  // Returns the number of frames up to `tick`.
  std::size_t count_to(std::uint64_t tick) const;
  std::uint64_t tick(std::size_t frame) const { return frames_[frame].place.tick.value; }
  double distance(std::uint64_t tick) const;
  // Returns the gap that a frame at `tick` must have on both sides to be more useful than the least
  // useful one.
  double spacing(std::uint64_t tick) const;
  // Returns the least useful frame. Sets `gap` to the gap without it, relative to its distance.
  std::size_t least_useful(double& gap) const;
  std::optional<Tick> missing_within(std::uint64_t reach, Tick last) const;
  // Packs an image that belongs after `earlier` frames.
  Frame pack(const LogPosition& place, Bytes image, std::size_t earlier) const;
  // Counts the bytes of a frame that was added or removed.
  void count(Frame& frame, bool added);

  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  std::uint64_t centre_ = 0;
  double density_ = 0;         // relative gap of the least useful frame. 0: memory was never full
  std::vector<Frame> frames_;  // in ascending order
};

}  // namespace orrery::session
