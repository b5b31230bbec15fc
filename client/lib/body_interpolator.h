// Owns the poses that a client draws: at any time between and beyond the snapshots it has.
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

struct BodyPose {
  BodyId id;
  Vec3 position;
  Quat orientation;
};

// Between frames each body moves by time-corrected Verlet, with accelerations that are estimated
// from the snapshots; at each snapshot that time passes it starts anew from there, by equation (2)
// of common/integrate/time_corrected_verlet.h. Frames may be of any length; times are in ticks.
class BodyInterpolator {
 public:
  // `tick_time` is the simulated time of a tick: the unit of velocities.
  explicit BodyInterpolator(double tick_time,
                            integrate::TimeCorrection correction = integrate::TimeCorrection::full);

  // Takes a snapshot, in any order; a state that has come before changes nothing. A body that it
  // leaves out is gone from then on.
  void add(const Snapshot& snapshot);

  // The poses at `tick`, ascending by slot, of the bodies that were there then. Times go forward as
  // a rule, but may stand still, jump or go back. Beyond its newest state a body moves on for
  // kExtrapolatedTicks, then stands; before the oldest that is kept they stand where it has them.
  // Poses are finite whatever the time is; NaN stands for the time before.
  const std::vector<BodyPose>& advance(double tick);

  static constexpr double kExtrapolatedTicks = 15;

 private:
  static constexpr std::size_t kSamples = 16;

  struct Sample {
    double tick = 0;
    codec::BodyState state;
  };

  // A body's samples, oldest first, and how far its motion has got from one of them.
  struct Track {
    BodyId id;
    double born = 0;              // tick of the first sample
    double gone = 0;              // tick of the first snapshot without the body
    std::vector<Sample> samples;  // kSamples at most
    bool moving = false;          // a step has been made
    double started = 0;           // tick of the sample that the motion starts from
    double at = 0;                // tick of `position`
    Vec3 position;
    Vec3 previous;           // one step before
    double previous_dt = 0;  // of that step
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
