// Keeps states of a session in a limited number of bytes, so that any tick is few steps away.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/ids.h"
#include "common/session/segment_chain.h"
#include "common/world/world.h"

namespace orrery::session {

// Maximum bytes of images that a playback keeps. It is enough for every tick between two
// checkpoints (10 s at 60 Hz) in a world of 1,000 piled bodies. It is also enough for two images of
// a million bodies without contacts.
inline constexpr std::size_t kKeptBytesMax = std::size_t{256} << 20;

// Maximum number of states of a way back: one of each tick between two checkpoints (10 s at 1,000
// Hz). If all of them fit, going back by one tick takes at most one step.
inline constexpr std::uint64_t kWayStatesMax = 10'000;

// A store of images by tick. It has two kinds of them:
// - Images of the whole session, dense near one tick, the centre: wants(), missing() and add().
// When
//   memory is full, the store drops the images that are least useful: their gap is small, relative
//   to their distance from the centre. Most are stored as the 32-bit words that differ from an
//   earlier one.
// - Images of the way to a tick, to go back from there tick by tick: plan() and pass(). They use
// the
//   memory that is left. Their ticks follow binomial checkpointing (Griewank and Walther,
//   "Algorithm 799: revolve"). If n states are kept and each step is computed at most r times, they
//   cover C(n + 1 + r, r) ticks (a binomial coefficient), which is optimal.
class KeptStates {
 public:
  // `bytes_max` limits the bytes of all images. 0: keeps none.
  explicit KeptStates(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // Returns the bytes of all images, at most `bytes_max`.
  std::size_t bytes() const { return bytes_; }

  // Returns the place of the last image up to `tick`, or null. It is valid until the next non-const
  // call.
  const LogPosition* before(Tick tick) const;
  // Returns the image of a tick. REQUIRES: before(tick) returns a place of this tick.
  std::vector<std::uint8_t> image(Tick tick) const;

  // Makes `tick` the centre.
  void centre(Tick tick);
  // Returns true if an image of `tick` would not be the first to be dropped.
  bool wants(Tick tick) const;
  // Adds the image of `place.tick`, unless there is one. If memory is full, drops others or this
  // one.
  void add(const LogPosition& place, Bytes image);
  // Returns a tick in a gap near the centre that needs an image, if there is one. `last` is the
  // last tick of the session.
  std::optional<Tick> missing(Tick last) const;

  // Plans which states to keep on the way to tick `to`. Drops states of earlier ways up to tick
  // `first` and after `to`, and those that leave too little memory for new ones. The way begins at
  // before(to), or at the checkpoint of tick `first` if that is later. An image has about
  // `image_bytes` bytes. REQUIRES: first <= to.
  void plan(Tick first, Tick to, std::size_t image_bytes);
  // Keeps the state of `world` if the plan needs it. `place` is the log position after the record
  // of its tick.
  void pass(const World& world, const LogPosition& place);

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
    Words delta;          // empty: the image is that of the base
    bool is_way = false;  // of the way back
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
  // Adds a frame after `earlier` others.
  void insert(Frame frame, std::size_t earlier);
  void drop(std::size_t frame);
  // Counts the bytes of a frame that was added or removed.
  void count(Frame& frame, bool added);
  // Returns the number of images for which `bytes` bytes have room.
  std::uint64_t room(std::size_t bytes) const;

  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  std::uint64_t centre_ = 0;
  double density_ = 0;         // relative gap of the least useful frame. 0: memory was never full
  std::vector<Frame> frames_;  // in ascending order
  // The plan: keep `left_` more states before tick `to_`, the next at tick `next_` or soon after.
  Tick to_;
  Tick next_;
  std::uint64_t left_ = 0;
  std::uint64_t rounds_ = 0;         // maximum number of times that a step is computed
  std::size_t image_bytes_ = 1;      // expected size of an image: the largest so far
  std::vector<std::uint8_t> draft_;  // reused buffer
};

}  // namespace orrery::session
