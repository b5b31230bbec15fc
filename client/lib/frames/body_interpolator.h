// Computes the poses that a client draws, between snapshots and beyond the newest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "client/lib/frames/frame_clock.h"
#include "client/lib/frames/path_piece.h"
#include "client/lib/frames/sample_ring.h"
#include "client/lib/snapshot_buffer.h"
#include "common/core/ids.h"
#include "common/integrate/time_corrected_verlet.h"
#include "common/math/quat.h"
#include "common/math/vec3.h"

namespace orrery::client {

// How a body moves between the states that arrived:
// - interpolate: on a cubic Hermite curve while it flies freely, on a straight line while something
//   touches it. Every motion is on the curve between states that are further apart than
//   kExtrapolatedSeconds.
// - verlet: one step of time-corrected Verlet in each frame, with the full correction.
// - published_verlet: the same, with the correction as it was published.
enum class Motion : std::uint8_t { interpolate, verlet, published_verlet };

// How much a pose can be trusted.
enum class Quality : std::uint8_t {
  exact,         // the state of a tick, bit for bit
  interpolated,  // between states, before the oldest, or shortly after the newest
  stale,         // the newest state is too old; the body stopped where it was extrapolated to
};

// A body as it is drawn.
struct BodyPose {
  BodyId id;
  std::uint32_t prototype = 0;  // index of the scene body that it is or copies
  Quality quality = Quality::interpolated;
  Vec3 position;
  Quat orientation;
};

// Moves bodies smoothly between snapshots. With time-corrected Verlet, a body takes one step in
// each frame, with accelerations that are estimated from the snapshots. At each snapshot the motion
// restarts from the snapshot's state, by equation (2) of common/integrate/time_corrected_verlet.h.
// Frames may have any length. Times are in ticks unless a comment says seconds.
class BodyInterpolator {
 public:
  // `tick_time`: simulated seconds in a tick, because velocities are per second. `tick_rate`: ticks
  // per second of real time. REQUIRES: both are finite and above 0.
  BodyInterpolator(double tick_time, double tick_rate, Motion motion = Motion::verlet);

  // Moves bodies in another way from the next frame on.
  void set_motion(Motion motion) { motion_ = motion; }
  // Sets for how many ticks a body moves after its newest state: kExtrapolatedSeconds at the
  // server's real rate. Until then it is kExtrapolatedSeconds at `tick_rate`. REQUIRES: above 0.
  void set_extrapolated(double ticks) { extrapolated_ = ticks; }

  // Takes a snapshot. Snapshots may arrive in any order, and repeated states change nothing. A body
  // that a snapshot lacks counts as removed from that tick on, unless a later state of it arrives.
  void add(const Snapshot& snapshot);

  // Returns the poses at `tick`, ascending by slot, of the bodies that existed then. `tick` may
  // also stay the same, jump or go back; NaN means the tick of the last call. After its newest
  // state, a body moves for kExtrapolatedSeconds, then stops and is stale. Only the newest states
  // of a body are kept. Before the oldest of them, the body has the pose of that state. Poses are
  // always finite.
  const std::vector<BodyPose>& advance(double tick);

  static constexpr double kExtrapolatedSeconds = FrameClock::kExtrapolatedSeconds;

 private:
  // The states of a body, and its current motion from one of them.
  struct Track {
    BodyId id;
    bool moving = false;  // a step was made in `piece`, or beyond the newest sample
    double born = 0;      // earliest tick of all samples that arrived
    double gone = 0;      // tick of the first snapshot without the body, or kNever
    SampleRing samples;
    PathPiece piece;  // between two samples that follow each other; empty beyond the newest
    double at = 0;    // tick of `position`
    Vec3 position;
    Vec3 previous;           // position one step before
    double previous_dt = 0;  // length of that step, in simulated seconds
  };

  static Track fresh_track(const codec::BodyState& body);
  static bool has_later(const Track& track, double tick);
  void add_tracks(const std::vector<codec::BodyState>& bodies);
  static void enter(Track& track, const PathPiece& piece);
  static void add_sample(Track& track, const codec::BodyState& body);
  const PathPiece* piece_at(Track& track, double tick) const;
  BodyPose pose_within(Track& track, const PathPiece& piece, double tick) const;
  BodyPose pose_beyond(Track& track, double tick) const;
  Vec3 acceleration_beyond(const SampleRing& samples) const;
  Vec3 move(Track& track, const PathPiece* piece, double tick) const;

  double tick_time_;
  double extrapolated_;  // ticks for which a body moves after its newest state
  Motion motion_;
  double now_ = 0;
  double newest_ = 0;
  std::vector<Track> tracks_;  // ascending by slot
  std::vector<BodyPose> poses_;
};

}  // namespace orrery::client
