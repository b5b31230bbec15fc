// Defines joints between two bodies, and solves them together with contacts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/math/pose.h"
#include "common/physics/body/bodies.h"
#include "common/physics/body/body_rows.h"
#include "common/physics/broad/pair_search.h"
#include "common/physics/contacts/contact_kernels.h"

namespace orrery::physics {

// The kind of a joint. All kinds but `weld` have a coordinate: a length, or an angle in radians.
// Limits, spring and motor act on the coordinate.
enum class JointKind : std::uint8_t {
  distance,  // coordinate: distance of two points; it is `rest` without limits, spring and motor
  ball,      // two points coincide; coordinate: angle between the x axes
  hinge,     // points and x axes coincide; coordinate: rotation of b about x, -pi to pi
  slider,    // b only moves along the x axis of the joint on a; coordinate: its displacement
  weld,      // no relative motion
};

// The kind and the parameters of a joint.
struct JointSettings {
  JointKind kind = JointKind::ball;
  bool collides = false;  // true: the two bodies also collide with each other

  bool limited = false;  // true: lower <= coordinate <= upper (ball: only upper)
  double lower = 0;
  double upper = 0;
  double frequency = 0;      // of a spring to `rest`, cycles per time; 0: no spring
  double damping_ratio = 1;  // of the spring; 1: critical
  double rest = 0;           // coordinate that the spring pulls to
  double motor_max = 0;      // largest force or torque of a motor; 0: no motor
  double motor_speed = 0;    // rate of the coordinate that the motor aims at
};

// A joint between two bodies.
struct Joint : JointSettings {
  std::uint32_t a = 0;  // slots; at least one of both bodies can be pushed
  std::uint32_t b = 0;
  Pose at_a;  // point and axes of the joint, in the axes of each body
  Pose at_b;
};

// Returns how far a joint is violated at the present poses, as a length: the distance of its two
// points, or the part of that distance that the joint forbids. Angles do not count.
double joint_error(const Joint& joint, const Bodies& bodies);

// The joints of a world. They are solved one by one, in their order, before contacts. Their
// impulses are state.
class JointSet {
 public:
  // Replaces all joints. Impulses start at 0.
  void set(std::span<const Joint> joints);
  // Breaks the joints of a body that is removed.
  void break_joints_of(std::uint32_t slot);

  // Return the joints, and whether the joint with this index is broken.
  std::span<const Joint> joints() const { return joints_; }
  bool broken(std::size_t joint) const { return broken_[joint] != 0; }
  // Returns the pairs of bodies that do not touch because of an unbroken joint, ascending.
  std::span<const Pair> separate() const { return separate_; }

  // Return the state between two ticks: an impulse for each row of each joint, and for each joint 1
  // if it is broken, else 0.
  std::span<const double> impulses() const { return impulses_; }
  std::span<const std::uint8_t> broken() const { return broken_; }
  // Returns true if a session can reach this state of the joints: the counts are right, impulses
  // are within limits::kForceMax, and those of broken joints are 0.
  bool fits(std::span<const double> impulses, std::span<const std::uint8_t> broken) const;
  // Replaces the state.
  // REQUIRES: fits(impulses, broken).
  void restore(std::span<const double> impulses, std::span<const std::uint8_t> broken);
  // Returns the hash of the state.
  std::uint64_t hash() const;

  // Computes the rows of all joints at the present poses. Call it in each substep, of length h.
  void prepare(const Bodies& bodies, const BodyRows& rows, double h);
  // Applies the impulses along the rows of the last prepare() (sign 1), or undoes that (sign -1).
  // Unlike the directions of contacts, rows rotate with their bodies from substep to substep. The
  // effect along the old rows must therefore be undone before prepare() makes new rows. Otherwise a
  // pendulum would gain energy.
  void apply(const BodyRows& rows, double sign) const;
  // Run the solve and the relax pass of joints, like those of contacts (contact_kernels.h). They
  // limit the bodies of joints to an eighth of a turn in a substep, and to limits::kSpeedMax.
  // REQUIRES: h is that of the last prepare().
  void solve(const BodyRows& rows, double h);
  void relax(const BodyRows& rows, double h);
  // Advances the errors of limits by the drift of length h that follows, at the present speeds.
  // relax() then knows the errors after the drift. Call it after solve().
  void predict_limits(const BodyRows& rows, double h);

 private:
  // The rule of a row. A row is one equation for the speed n.(vB - vA) + jB.wB - jA.wA, with one
  // impulse. v and w are the velocities and angular velocities of bodies A and B. The row's linear
  // direction is n, and its angular directions are jA and jB.
  enum class Rule : std::uint8_t {
    hold,    // error = 0
    bound,   // error >= 0
    spring,  // a spring pulls error to 0
    drive,   // speed = error, which holds the motor speed; impulse within +-limit
  };
  struct Row {
    Rule rule;
    std::uint32_t a;
    std::uint32_t b;
    Vec3 n;
    Vec3 j_a;
    Vec3 j_b;
    Vec3 k_a;  // I^-1 j: change of angular velocity per impulse, subtracted on a and added on b
    Vec3 k_b;
    double mass;   // effective mass; 0: the row has no effect
    double error;  // length or angle; `bound`: negative beyond the limit; `drive`: the motor speed
    double limit;  // largest impulse of `drive`
    Softness soft;
  };
  struct JointFrame;

  void set_separate();
  void add_row(const JointFrame& frame, Rule rule, const Vec3& n, const Vec3& j_a, const Vec3& j_b,
               double error);
  void add_point(const JointFrame& frame);
  void add_turning(const JointFrame& frame);
  void add_coordinate(const Joint& joint, const JointFrame& frame, const Vec3& n, const Vec3& j_a,
                      const Vec3& j_b, double value);
  void add_joint(const Joint& joint, const JointFrame& frame);
  double speed(const BodyRows& rows, const Row& row) const;
  void push(const BodyRows& rows, const Row& row, double impulse) const;
  void bound_speeds(const BodyRows& rows, double h) const;
  template <bool kRelax>
  void pass(const BodyRows& rows, double h);

  std::vector<Joint> joints_;
  std::vector<std::uint8_t> broken_;
  std::vector<Pair> separate_;
  std::vector<Row> rows_;                 // of the last prepare()
  std::vector<std::uint32_t> first_row_;  // of each joint; the last element is the number of rows
  std::vector<double> impulses_;          // of each row
  double time_ = 0;                       // length of the substep of the last prepare()
};

}  // namespace orrery::physics
