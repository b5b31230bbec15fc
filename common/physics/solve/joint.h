// Defines joints between two bodies.
#pragma once

#include <cstdint>

#include "common/math/pose.h"
#include "common/physics/body/bodies.h"

namespace orrery::physics {

// The kind of a joint. All kinds but `weld` have a coordinate: a length, or an angle in radians.
// Limits, spring and motor act on the coordinate.
enum class JointKind : std::uint8_t {
  distance,  // coordinate: distance of two points; without limit, spring and motor: always `rest`
  ball,      // two points coincide; coordinate: angle between the x axes
  hinge,     // points and x axes coincide; coordinate: angle of b about x of a since the start of
             // the session, over any number of turns
  slider,    // b only moves along the x axis of the joint on a; coordinate: its displacement
  weld,      // no relative motion
};

// The largest limit or rest of a hinge, in radians.
inline constexpr double kHingeAngleMax = 1e6;

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

// Flags of a joint in the state. Each joint has at most one.
inline constexpr std::uint8_t kJointBroken = 1;
// The joint belongs to a tree that was free in the last tick (joint_trees.h).
inline constexpr std::uint8_t kJointFree = 2;

// Returns the number of rows that hold a joint together. It is 0 for a distance joint with limits,
// a spring or a motor. A row is one equation for the motion of both bodies (joint_rows.h).
std::uint32_t hold_rows(const Joint& joint);
// Returns the number of rows of the limits, spring and motor of a joint. Limits take two rows, but
// only one for a ball, which has no lower limit.
std::uint32_t coordinate_rows(const Joint& joint);
// Returns true if the state has the coordinate of a joint: a hinge whose limits or spring need its
// turns, which the poses do not tell.
bool keeps_angle(const Joint& joint);
// Returns how many numbers of a joint the state has: an impulse for each row, then the angle of a
// joint that keeps it.
std::uint32_t state_numbers(const Joint& joint);

// Returns how far a joint is violated at the present poses, as a length: the distance of its two
// points, or the part of that distance that the joint forbids. Angles do not count.
double joint_error(const Joint& joint, const Bodies& bodies);

}  // namespace orrery::physics
