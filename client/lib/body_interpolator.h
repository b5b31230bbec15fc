// Computes the poses that a client draws, between snapshots and beyond the newest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "client/lib/snapshot_buffer.h"
#include "common/core/ids.h"
#include "common/integrate/time_corrected_verlet.h"
#include "common/math/quat.h"
#include "common/math/vec3.h"

namespace orrery::client {

// A body as it is drawn.
struct BodyPose {
  BodyId id;
  Vec3 position;
  Quat orientation;
};

// Moves bodies smoothly between snapshots. In each frame a body takes one step of time-corrected
// Verlet, with accelerations that are estimated from the snapshots. At each snapshot the motion
// restarts from the snapshot's state, by equation (2) of common/integrate/time_corrected_verlet.h.
// Frames may have any length. Times are in ticks unless a comment says seconds.
class BodyInterpolator {
 public:
  // `tick_time`: simulated seconds in a tick, because velocities are per second. REQUIRES:
  // tick_time is finite and above 0.
  explicit BodyInterpolator(double tick_time,
                            integrate::TimeCorrection correction = integrate::TimeCorrection::full);

  // Takes a snapshot. Snapshots may arrive in any order, and repeated states change nothing. A body
  // that is missing in a snapshot counts as removed from that tick on, unless a later state of it
  // is known.
  void add(const Snapshot& snapshot);

  // Returns the poses at `tick`, ascending by slot, of the bodies that existed then. `tick` may
  // also stay the same, jump or go back; NaN means the tick of the last call. After its newest
  // state a body moves for kExtrapolatedTicks, then stops. Only the newest states of a body are
  // kept: before the oldest of these, it has the pose of that state. Poses are always finite.
  const std::vector<BodyPose>& advance(double tick);

  static constexpr double kExtrapolatedTicks = 15;

 private:
  static constexpr std::size_t kSamples = 16;

  struct Sample {
    double tick = 0;
    codec::BodyState state;
  };

  // The states of a body, oldest first, and its current motion from one of them.
  struct Track {
    BodyId id;
    double born = 0;              // earliest tick of all samples that arrived
    double gone = 0;              // tick of the first snapshot without the body, or kNever
    std::vector<Sample> samples;  // at most kSamples
    bool moving = false;          // a step was made since the motion started
    double started = 0;           // tick of the sample from which the motion started
    double at = 0;                // tick of `position`
    Vec3 position;
    Vec3 previous;           // position one step before
    double previous_dt = 0;  // length of that step, in simulated seconds
  };

  static Track fresh_track(const codec::BodyState& body);
  void add_tracks(const std::vector<codec::BodyState>& bodies);
  Track& track_of(const codec::BodyState& body);
  static void insert(Track& track, const Sample& sample);
  Vec3 acceleration(const Track& track, std::size_t from, double tick) const;
  Vec3 acceleration_beyond(const Track& track) const;
  Vec3 between(const Sample& a, const Sample& b, double tick) const;
  Vec3 move(Track& track, std::size_t from, double tick) const;
  Quat turn(const Track& track, std::size_t from, double tick) const;

  double tick_time_;
  integrate::TimeCorrection correction_;
  double now_ = 0;
  double newest_ = 0;
  std::vector<Track> tracks_;  // ascending by slot
  std::vector<BodyPose> poses_;
};

}  // namespace orrery::client
