// Owns joints: what holds two bodies together, and how it is solved beside contacts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/math/pose.h"
#include "common/physics/body/bodies.h"
#include "common/physics/broad/pair_search.h"
#include "common/physics/solve/body_rows.h"
#include "common/physics/solve/contact_kernels.h"

namespace orrery::physics {

// What a joint leaves free is its coordinate, on which limits, spring and motor act:
enum class JointKind : std::uint8_t {
  distance,  // the distance of two points; without limits and spring it is held at `rest`
  ball,      // two points coincide; the angle between the x axes
  hinge,     // and the x axes too; the angle of b about them, from -pi to pi
  slider,    // no turning, and motion along the x axis alone: how far b's point is along it
  weld,      // nothing
};

struct JointSettings {
  JointKind kind = JointKind::ball;
  bool collides = false;  // whether the bodies also touch each other

  bool limited = false;  // lower <= coordinate <= upper (ball: upper alone)
  double lower = 0;
  double upper = 0;
  double frequency = 0;  // of a spring to `rest`, cycles per time; 0: no spring
  double damping_ratio = 1;
  double rest = 0;
  double motor_max = 0;  // largest force or torque of a motor; 0: no motor
  double motor_speed = 0;
};

struct Joint : JointSettings {
  std::uint32_t a = 0;  // slots; at least one of the bodies moves
  std::uint32_t b = 0;
  Pose at_a;  // the joint in the axes of each body: its point, and its axes
  Pose at_b;
};

// How far the bodies of a joint are from where it holds them at the present poses: the distance of
// their points, or what of it the joint forbids.
double joint_error(const Joint& joint, const Bodies& bodies);

// Joints are solved one after another, in their order, before contacts. Their impulses are state.
class JointSet {
 public:
  // Replaces all joints; impulses are 0.
  void set(std::span<const Joint> joints);
  // Breaks the joints of a body that goes.
  void forget(std::uint32_t slot);

  std::span<const Joint> joints() const { return joints_; }
  bool broken(std::size_t joint) const { return broken_[joint] != 0; }
  // Bodies that do not touch each other, as a joint that is not broken says; ascending.
  std::span<const Pair> separate() const { return separate_; }

  // The state between two ticks: an impulse for each row of each joint, and which are broken.
  std::span<const double> impulses() const { return impulses_; }
  std::span<const std::uint8_t> broken() const { return broken_; }
  // True if these can be the state of these joints: as many, and no impulse beyond what passes
  // leave it within, limits::kForceMax.
  bool fits(std::span<const double> impulses, std::span<const std::uint8_t> broken) const;
  // Replaces the state by one that fits.
  void restore(std::span<const double> impulses, std::span<const std::uint8_t> broken);
  std::uint64_t hash() const;

  // In each substep h, at the present poses: the rows of all joints.
  void prepare(const Bodies& bodies, const BodyRows& rows, double h);
  // Applies the impulses along the rows of the last prepare(), or takes them away again. Rows turn
  // with their bodies from substep to substep, unlike those of contacts: what bodies were pushed by
  // along the old rows must not stay, or a pendulum would gain energy.
  void apply(const BodyRows& rows, double sign) const;
  // The passes, as of contacts (contact_kernels.h). They leave the bodies of joints spins of at
  // most an eighth of a turn in a substep, and speeds within limits::kSpeedMax.
  void solve(const BodyRows& rows, double h);
  void relax(const BodyRows& rows, double h);
  // After solving: how far limits are at the end of the drift that follows.
  void foresee(const BodyRows& rows, double h);

 private:
  // One equation: speed = n.(vB - vA) + jB.wB - jA.wA, impulse along n at arms that give j.
  enum class Rule : std::uint8_t {
    hold,    // error = 0
    bound,   // error >= 0
    spring,  // error is pulled to 0
    drive,   // speed = error, with an impulse within `limit`
  };
  struct Row {
    Rule rule;
    std::uint32_t a;
    std::uint32_t b;
    Vec3 n;
    Vec3 j_a;
    Vec3 j_b;
    Vec3 k_a;  // inverse inertia times j
    Vec3 k_b;
    double mass;
    double error;
    double limit;
    Softness soft;
  };
  struct Frame;

  void set_separate();
  void add_row(const Frame& frame, Rule rule, const Vec3& n, const Vec3& j_a, const Vec3& j_b,
               double error);
  void add_point(const Frame& frame);
  void add_turning(const Frame& frame);
  void add_coordinate(const Joint& joint, const Frame& frame, const Vec3& n, const Vec3& j_a,
                      const Vec3& j_b, double value);
  void add_joint(const Joint& joint, const Frame& frame);
  double speed(const BodyRows& rows, const Row& row) const;
  void push(const BodyRows& rows, const Row& row, double impulse) const;
  void bound_speeds(const BodyRows& rows, double h) const;
  template <bool kRelax>
  void pass(const BodyRows& rows, double h);

  std::vector<Joint> joints_;
  std::vector<std::uint8_t> broken_;
  std::vector<Pair> separate_;
  std::vector<Row> rows_;                 // of the last prepare()
  std::vector<std::uint32_t> first_row_;  // of each joint; and behind the last
  std::vector<double> impulses_;          // of each row
  double time_ = 0;                       // of the substep that was prepared
};

}  // namespace orrery::physics
