// Keeps states between checkpoints, so that playback goes backwards in few steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/core/ids.h"
#include "common/session/log_reader.h"
#include "common/world/world.h"

namespace orrery::session {

// Maximum bytes of images that a playback keeps. It is enough for every tick between two
// checkpoints (10 s at 60 Hz) in a world of 1,000 piled bodies. It is also enough for two images of
// a million bodies without contacts.
inline constexpr std::size_t kKeptBytesMax = std::size_t{256} << 20;

// Maximum number of kept states: one of each tick between two checkpoints (10 s at 1,000 Hz). If
// all of them fit, going back by one tick takes at most one step.
inline constexpr std::uint64_t kKeptStatesMax = 10'000;

// A store of images on the way from a checkpoint to a tick, used to go back from there tick by
// tick. The positions follow binomial checkpointing (Griewank and Walther, "Algorithm 799:
// revolve"). If n states are kept and each step is computed at most r times, they cover
// C(n + 1 + r, r) ticks (a binomial coefficient), which is optimal.
class KeptStates {
 public:
  // A kept state and its place in the log.
  struct State {
    LogPosition place;
    std::vector<std::uint8_t> image;
  };

  // `bytes_max` limits the bytes of all images; `image_bytes` is the expected size of one.
  KeptStates(std::size_t bytes_max, std::size_t image_bytes);

  // Returns the last state, or null. It is valid until the next non-const call.
  const State* last() const { return states_.empty() ? nullptr : &states_.back(); }

  // Returns the bytes of all images, at most `bytes_max`.
  std::size_t bytes() const { return bytes_; }

  // Plans which states to keep on the way to tick `to`. Drops states up to tick `first`, states
  // after `to`, and states that leave too little memory for new ones. The way then begins at
  // last(), or at the checkpoint of tick `first` if no state is left. REQUIRES: first <= to.
  void plan(Tick first, Tick to);

  // Keeps the state of `world` if the plan needs it. `place` is the log position after the record
  // of its tick.
  void pass(const World& world, const LogPosition& place);

 private:
  std::uint64_t room() const;
  void drop_last();

  std::size_t bytes_max_;
  std::size_t image_bytes_;  // expected size of an image: the largest so far
  std::size_t bytes_ = 0;
  std::vector<State> states_;  // in ascending order
  // The plan: keep `left_` more states before tick `to_`, the next at tick `next_` or soon after.
  Tick to_;
  Tick next_;
  std::uint64_t left_ = 0;
  std::uint64_t rounds_ = 0;         // maximum number of times that a step is computed
  std::vector<std::uint8_t> draft_;  // reused buffer
};

}  // namespace orrery::session
