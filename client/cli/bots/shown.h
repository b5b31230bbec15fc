// A pose that a client has shown, to be compared with the log of the session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "client/lib/frames/body_interpolator.h"

namespace orrery::client {

// A pose of one body in one frame, and the ticks of the states of the body that the client had
// then.
struct Shown {
  double tick = 0;  // of the frame
  BodyPose pose;
  std::uint64_t before = 0;    // newest state up to `tick`
  std::uint64_t after = 0;     // oldest state after `tick`; 0: none, so the pose is extrapolated
  std::uint64_t earliest = 0;  // oldest of the three newest states up to `tick`
};

// A bounded number of poses, at equal intervals among all poses that were added.
class ShownSamples {
 public:
  explicit ShownSamples(std::size_t most) : most_(most) {}

  // Adds every n-th pose. When there is no room, drops every second one and doubles n.
  void add(const Shown& shown) {
    if (most_ == 0 || count_++ % every_ != 0) return;
    if (samples_.size() == most_) thin_out();
    samples_.push_back(shown);
  }

  // Drops the poses after a tick.
  void drop_after(double tick) {
    std::erase_if(samples_, [tick](const Shown& shown) { return shown.tick > tick; });
  }

  // Returns the poses, in the order in which they were added.
  const std::vector<Shown>& all() const { return samples_; }

 private:
  void thin_out() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < samples_.size(); i += 2) samples_[kept++] = samples_[i];
    samples_.resize(kept);
    every_ *= 2;
  }

  std::size_t most_;
  std::uint64_t every_ = 1;
  std::uint64_t count_ = 0;
  std::vector<Shown> samples_;
};

}  // namespace orrery::client
