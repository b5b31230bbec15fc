// Checks the frames that a client shows, and keeps some of their poses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/cli/bots/shown.h"
#include "client/lib/frames/frames.h"
#include "common/core/rng.h"

namespace orrery::client {

// Checks the frames of one client. It also keeps poses for a comparison with the log. For these it
// watches one body after another, and remembers the ticks of the states that arrived of it.
class FrameCheck {
 public:
  // Keeps at most `shown_max` poses.
  FrameCheck(std::uint64_t seed, std::size_t shown_max) : random_(seed), samples_(shown_max) {}

  // Takes a state that arrived, as the client adds it to its frames. It may be late.
  void add(const Snapshot& state);
  // Checks a frame. Returns the fault, if there is one: a pose that is not finite or not a
  // rotation, poses that are not in ascending order of slots, or a tick that is not finite or went
  // back. Ignores a frame without poses.
  std::optional<std::string> check(const Frame& frame);
  // Prepares for frames of a resumed session, in which ticks may have gone back. Drops the kept
  // poses of the last `uncertain` ticks, because the log may have other states of these ticks.
  void begin_epoch(double uncertain);

  // Returns the number of frames with poses that were checked.
  std::uint64_t frames() const { return frames_; }
  // Returns the poses that were kept.
  const std::vector<Shown>& shown() const { return samples_.all(); }

 private:
  void watch(const Snapshot& state);
  void keep(const Frame& frame);

  SplitMix64 random_;
  ShownSamples samples_;
  std::uint64_t frames_ = 0;
  double tick_ = 0;                    // of the last frame
  std::optional<BodyId> body_;         // the body that it watches
  std::vector<std::uint64_t> states_;  // ticks of its newest states, ascending
  Tick newest_;                        // of all states
  int states_left_ = 0;                // until it watches another body
};

}  // namespace orrery::client
