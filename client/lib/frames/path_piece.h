// The path of a body from one received state to the next: polynomials, unless it turns far.
#pragma once

#include <array>

#include "client/lib/frames/sample_ring.h"
#include "common/codec/snapshot_codec.h"
#include "common/math/quat.h"
#include "common/math/vec3.h"

namespace orrery::client {

// The path between two states: cubic Hermite curves for the position and for the quaternion. Both
// meet the states and their velocities. If the body turns far, its orientation follows the angular
// velocities instead. The path is computed once, and evaluated in every frame.
class PathPiece {
 public:
  // A piece that covers no tick.
  PathPiece() = default;
  // The piece from `a` to `b`. `tick_time` is the simulated time of a tick. REQUIRES:
  // tick_of(a) < tick_of(b); both orientations have unit length.
  PathPiece(const codec::BodyState& a, const codec::BodyState& b, double tick_time);

  // Returns true if it covers no tick.
  bool is_empty() const { return end_ < begin_; }

  // Returns true if the tick is at or after the first state, and before the second.
  bool covers(double tick) const { return tick >= begin_ && tick < end_; }

  // Return the tick of the first and of the second state.
  double begin() const { return begin_; }
  double end() const { return end_; }

  // Returns the position at a tick of the piece.
  Vec3 position(double tick) const {
    const double s = share(tick);
    return place_[0] + s * (place_[1] + s * (place_[2] + s * place_[3]));
  }
  // Returns the position at a tick of the piece, on the straight line between both states.
  Vec3 straight(double tick) const {
    return place_[0] + share(tick) * (place_[1] + place_[2] + place_[3]);
  }
  // Returns the acceleration at a tick of the piece, per squared unit of simulated time.
  Vec3 acceleration(double tick, double tick_time) const {
    const double rate = per_tick_ / tick_time;
    return (rate * rate) * (2 * place_[2] + (6 * share(tick)) * place_[3]);
  }
  // Return the position and the velocity of the first state.
  const Vec3& first_position() const { return place_[0]; }
  Vec3 first_velocity(double tick_time) const { return (per_tick_ / tick_time) * place_[1]; }
  // Returns the orientation.
  Quat orientation(double tick) const;

  // Returns true if the body can have moved under a constant acceleration, as in free flight. The
  // displacement is then the mean of both velocities times the time. A push in between would change
  // that. The tolerance covers velocities rounded to binary32, and the steps of the server.
  bool flies() const { return flies_; }

 private:
  double share(double tick) const { return (tick - begin_) * per_tick_; }
  void set_turn(const codec::BodyState& a, const codec::BodyState& b, double h);

  double begin_ = 0;
  double end_ = -1;
  double per_tick_ = 0;  // 1 / ticks of the piece
  bool flies_ = false;
  bool turns_far_ = false;     // the body turns too far for a polynomial
  std::array<Vec3, 4> place_;  // coefficients of the powers of the share from 0 to 1
  // Coefficients of the quaternion. If the body turns far, they are instead: the first orientation;
  // the rotation by which the angular velocities miss the second orientation; and, in the vector
  // parts, the rotation by the first angular velocity and its difference to the rotation by the
  // second.
  std::array<Quat, 4> turn_;
};

// Returns the rotation by a rotation vector, in radians.
Quat rotation(const Vec3& turned);

}  // namespace orrery::client
