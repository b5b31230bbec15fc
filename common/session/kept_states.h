// Owns the states that playback keeps between checkpoints, so that going back takes few steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/core/ids.h"
#include "common/session/log_reader.h"
#include "common/world/world.h"

namespace orrery {

// Bytes of the images that one playback keeps: 10 s at 60 Hz, the time between checkpoints, of
// worlds of 1,000 piled bodies, at 350 KB an image. Of the largest worlds, at 100 MB, two are kept.
inline constexpr std::size_t kKeptBytesMax = std::size_t{256} << 20;

// States that are kept: one of each tick between two checkpoints, which are at most 10,000 apart
// (10 s at 1,000 ticks a second). If they all fit, going back takes one step a tick.
inline constexpr std::uint64_t kKeptStatesMax = 10'000;

// Keeps images of states on the way from a checkpoint to a tick, for going back from there tick by
// tick. They are placed as binomial checkpointing does (Griewank and Walther, "Algorithm 799:
// revolve"): with n of them, and each step taken at most r times, one goes back over
// C(n + 1 + r, r) ticks, and no other placing goes further.
class KeptStates {
 public:
  struct State {
    LogPlace place;
    std::vector<std::uint8_t> image;
  };

  // `image_bytes`: what one image is expected to take.
  KeptStates(std::size_t bytes_max, std::size_t image_bytes);

  // The last one; null if there is none. Good until the next call that is not const.
  const State* last() const { return states_.empty() ? nullptr : &states_.back(); }

  // Bytes of all images, at most `bytes_max`.
  std::size_t bytes() const { return bytes_; }

  // Plans a way to `to`, which begins at last(), or if there is none then, at the checkpoint before
  // `to`, of tick `first`. Drops what lies outside of these two, and what leaves too little room.
  void plan(Tick first, Tick to);

  // Keeps the state of a tick on that way if the plan says so. `place` is behind that tick.
  void pass(const World& world, const LogPlace& place);

 private:
  std::uint64_t room() const;
  void drop_last();

  std::size_t bytes_max_;
  std::size_t image_bytes_;  // of the largest so far
  std::size_t bytes_ = 0;
  std::vector<State> states_;  // ascending
  // The plan: the next of `left_` states is kept at `next_` or soon after, unless that is `to_`.
  Tick to_;
  Tick next_;
  std::uint64_t left_ = 0;
  std::uint64_t rounds_ = 0;         // times that a step is taken at most
  std::vector<std::uint8_t> draft_;  // scratch
};

}  // namespace orrery
