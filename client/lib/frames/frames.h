// Gives the poses of all bodies at the moment of a frame, from the states that arrived.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "client/lib/frames/body_interpolator.h"
#include "client/lib/frames/frame_clock.h"
#include "client/lib/snapshot_buffer.h"
#include "common/net/environment.h"
#include "common/world/world.h"

namespace orrery::client {

// The ways to compute the poses of a frame:
// - interpolate, verlet, published_verlet: as in Motion, a few ticks later than the server.
// - follow: the exact state of the newest tick. Only if the client follows.
enum class FrameMode : std::uint8_t { interpolate, verlet, published_verlet, follow };

// The bodies at the moment of a frame.
struct Frame {
  double tick = 0;  // of the clock, or of the world in mode follow. A body without newer states is
                    // shown at an earlier tick
  const std::vector<BodyPose>* poses = {};  // ascending by slot; never null
};

// The states of one session, and the clock that says which moment to show.
class Frames {
 public:
  // REQUIRES: as for BodyInterpolator.
  Frames(double tick_time, double tick_rate);

  // Takes a state that arrived now: a snapshot, or the followed world after a tick.
  void add(const Snapshot& state, net::Nanoseconds now);
  void add(const World& world, net::Nanoseconds now);

  // Returns the bodies at `now`, valid until the next call. Mode follow works like mode verlet if
  // no world was added.
  Frame at(net::Nanoseconds now, FrameMode mode);

  // Returns the clock, with its delay and the number of its jumps.
  const FrameClock& clock() const { return clock_; }

 private:
  const std::vector<BodyPose>& exact(net::Nanoseconds now);

  FrameClock clock_;
  BodyInterpolator bodies_;
  net::Nanoseconds state_at_ = 0;  // when the newest state arrived
  bool follows_ = false;
  Snapshot followed_{};  // the state of the followed world
  std::vector<BodyPose> exact_;
};

}  // namespace orrery::client
