// Defines joints between two bodies.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "common/core/assert.h"
#include "common/math/pose.h"
#include "common/physics/body/bodies.h"

namespace orrery::physics {

// The kind of a joint (joint_kinds.inl). All kinds but `weld` have a coordinate: a length, or an
// angle in radians. Limits, spring and motor act on the coordinate.
enum class JointKind : std::uint8_t {
  distance,  // coordinate: distance of two points; without limit, spring and motor: always `rest`
  ball,      // two points coincide; coordinate: angle between the x axes
  hinge,     // points and x axes coincide; coordinate: angle of b about x of a since the start of
             // the session, over any number of turns
  slider,    // b only moves along the x axis of the joint on a; coordinate: its displacement
  weld,      // no relative motion
};
inline constexpr std::uint32_t kJointKinds = 5;

// The properties of a kind of joint.
struct JointTraits {
  JointKind kind;
  const char* name;  // in scenes
  // Number of rows that hold a joint together. The first ones have errors that are lengths, and
  // `angles` more have errors that are angles.
  std::uint32_t lengths = 0;
  std::uint32_t angles = 0;
  // These rows hold the coordinate at `rest`. Limits, a spring or a motor replace them.
  bool holds_rest = false;

  // The coordinate: if there is one, if it is an angle, if that counts whole turns, and if it has a
  // lower limit.
  bool moves = true;
  bool is_angle = false;
  bool winds = false;
  bool has_lower = true;
  // The least and the greatest limit or rest, also as text for error messages.
  double least;
  double most;
  const char* range;
};

// Returns the properties of a kind.
const JointTraits& traits_of(JointKind kind);

// The kind and the parameters of a joint.
struct JointSettings {
  JointKind kind = JointKind::ball;
  bool collides = false;  // true: the two bodies also collide with each other

  bool limited = false;  // true: lower <= coordinate <= upper (ball: only upper)
  double lower = 0;
  double upper = 0;
  double frequency = 0;  // of a spring that pulls to `rest`, cycles per unit of time; 0: no spring
  double damping_ratio = 1;  // of the spring; 1: critical
  double rest = 0;           // coordinate of the spring at rest; length of a rigid distance joint
  double motor_max = 0;      // largest force or torque of a motor; 0: no motor
  double motor_speed = 0;    // rate of the coordinate that the motor aims at
  // Mean force and torque of a tick beyond which the joint breaks (JointLoad); 0: it holds any.
  double break_force = 0;
  double break_torque = 0;
  // Whether the spring is a servo: its frequency is that of the coordinate with all that hangs on
  // the joint, and its force or torque is at most `servo_max`.
  bool servo = false;
  double servo_max = std::numeric_limits<double>::infinity();

  friend bool operator==(const JointSettings&, const JointSettings&) = default;
};

// Returns true if a load can break the joint.
inline bool can_break(const JointSettings& joint) {
  return joint.break_force > 0 || joint.break_torque > 0;
}

// The impulses that a joint passed from one body to the other in a tick: of all its rows, also of
// its limits, spring and motor.
struct JointLoad {
  Vec3 impulse;          // at the point of the joint, world axes
  Vec3 angular_impulse;  // about this point
};

// A joint between two bodies.
struct Joint : JointSettings {
  std::uint32_t a = 0;  // slots of the two bodies; forces can move at least one of them
  std::uint32_t b = 0;
  bool a_moves = true;  // false: no force ever moves the body (an anchor, a kinematic body)
  bool b_moves = true;
  Pose at_a;  // point and axes of the joint on body a, in the axes of that body
  Pose at_b;
};

// Returns the unit vector along v, or the x axis if v is zero.
Vec3 direction(const Vec3& v);

// The points and axes of a joint, in world axes.
struct JointFrame {
  // `a` and `b` are the poses of the bodies.
  JointFrame(const Joint& joint, const Pose& a, const Pose& b);

  // The direction and the distance from a's point to b's.
  struct Apart {
    Vec3 n;
    double distance;
  };
  // Returns them. The direction is the x axis if the points coincide.
  Apart apart() const;
  // Returns the angles of `turn` about each axis, to first order.
  Vec3 angles() const { return (turn.w < 0 ? -2.0 : 2.0) * Vec3{turn.x, turn.y, turn.z}; }
  // Adds the rows that make both points coincide (joint_kinds.inl). If both bodies move, both
  // forces act in the middle between the points: forces at points that a hit has parted would
  // change the angular momentum.
  template <class Add>
  void add_point(Add& add) const {
    const Vec3 a = arm_a + middle * between, b = arm_b - middle * between;
    for (const Vec3& n : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
      add(n, cross(a, n), cross(b, n), dot(between, n));
    }
  }

  Vec3 arm_a, arm_b;  // from the centres of mass to the points
  Vec3 between;       // from a's point to b's
  Vec3 axes[3];       // x, y and z axis of the joint on a
  Vec3 axis_b;        // x axis of the joint on b
  Quat turn;          // orientation of the joint's axes on b relative to its axes on a
  double rest;
  double middle;  // share of `between`, from each point to where forces act
};

// Flags of a joint in the state. Each joint has at most one.
inline constexpr std::uint8_t kJointBroken = 1;
// The joint belongs to a tree that was free in the last tick (joint_trees.h).
inline constexpr std::uint8_t kJointFree = 2;

// Returns the number of rows that hold a joint together. It is 0 for a distance joint with limits,
// a spring or a motor. A row is one equation for the motion of both bodies (joint_rows.h).
std::uint32_t hold_rows(const JointSettings& joint);
// Returns the number of rows of the limits, spring and motor of a joint. Limits take two rows, but
// only one for a kind without a lower limit.
std::uint32_t coordinate_rows(const JointSettings& joint);
// Returns true if the state has the coordinate of a joint: a hinge whose limits or spring need its
// turns, which the poses do not tell.
bool keeps_angle(const JointSettings& joint);
// Returns how many numbers of a joint the state has: an impulse for each row, then the angle of a
// joint that keeps it.
std::uint32_t state_numbers(const JointSettings& joint);

// Returns the part of the displacement of b's point from a's that the joint forbids, in world axes.
Vec3 joint_gap(const Joint& joint, const JointFrame& frame);
// Returns how far a joint is violated at the present poses, as a length: the length of its
// joint_gap(), or how far a joint without hold_rows() is beyond its limits. Angles do not count.
double joint_error(const Joint& joint, const Bodies& bodies);

// The slots of the bodies of joints, numbered from 0 in ascending order. A table with these numbers
// as indices grows with the number of joints, and not with the highest slot.
class SlotNumbers {
 public:
  explicit SlotNumbers(std::span<const Joint> joints) {
    slots_.reserve(2 * joints.size());
    for (const Joint& joint : joints) slots_.insert(slots_.end(), {joint.a, joint.b});
    std::sort(slots_.begin(), slots_.end());
    slots_.erase(std::unique(slots_.begin(), slots_.end()), slots_.end());
  }

  // Returns how many slots there are.
  std::uint32_t size() const { return static_cast<std::uint32_t>(slots_.size()); }
  // Returns the number of a slot. REQUIRES: it belongs to a body of a joint.
  std::uint32_t of(std::uint32_t slot) const {
    const auto at = std::lower_bound(slots_.begin(), slots_.end(), slot);
    ORRERY_ASSERT(at != slots_.end() && *at == slot);
    return static_cast<std::uint32_t>(at - slots_.begin());
  }

 private:
  std::vector<std::uint32_t> slots_;  // ascending
};

}  // namespace orrery::physics
