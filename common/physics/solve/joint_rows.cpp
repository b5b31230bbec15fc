// Computes rows of joints and runs the passes over them.
#include "common/physics/solve/joint_rows.h"

#include <algorithm>
#include <numbers>

#include "common/core/limits.h"
#include "common/math/elementary.h"

namespace orrery::physics {
namespace {

// Softness of `hold` and `bound` rows, which are as stiff as a substep allows.
constexpr double kRigidFrequencyShare = 0.25;  // frequency / substep frequency
constexpr double kRigidDampingRatio = 2;

// The largest phase angle, in radians, by which a spring of Rule::spring oscillates in a substep.
// Stiffer springs get Rule::stiff.
constexpr double kSpringTurnMax = 0.5;
// The largest product of the phase angle of a spring and the sum of the phase angles of all springs
// at its two bodies. It bounds h^2 times the largest eigenvalue of M^-1 K, with h the substep and K
// the stiffness of all springs of Rule::spring (Gershgorin's theorem). Leapfrog gains energy if h^2
// times this eigenvalue exceeds 4.
constexpr double kSpringsTurnMax = 1;

Vec3 get(const SolverBody& row, std::uint32_t first) {
  return {row.at[first], row.at[first + 1], row.at[first + 2]};
}

void change(SolverBody& row, std::uint32_t first, const Vec3& v) {
  row.at[first] += v.x;
  row.at[first + 1] += v.y;
  row.at[first + 2] += v.z;
}

// Returns k = I^-1 j (both in world axes) at the present orientation. Contacts use the inertia at
// the start of the tick. That inertia is too old for joints: a spinning limb turns far within a
// tick.
Vec3 turned_by(const Bodies& bodies, std::uint32_t slot, const Vec3& j) {
  if (bodies.inverse_mass(slot) == 0) return {};
  const Quat q = bodies.orientation(slot);
  return rotate(q, scaled(bodies.inverse_inertia(slot), rotate_back(q, j)));
}

// Returns the angle of a rotation about its x axis that is nearest to `last`. One rotation has many
// angles, whole turns apart.
double nearest_angle(const Quat& turn, double last) {
  ORRERY_ASSERT(last == last);  // not NaN
  constexpr double kTurn = 2 * std::numbers::pi;
  constexpr double kTurnsMax = 1e15;  // an image may contain any number
  const double angle = 2 * elementary::polar_angle(turn.x, turn.w);
  const double turns = std::clamp((last - angle) / kTurn, -kTurnsMax, kTurnsMax);
  return angle +
         kTurn * static_cast<double>(static_cast<std::int64_t>(turns + (turns < 0 ? -0.5 : 0.5)));
}

// Returns the unit vector along v, or the x axis if v is zero.
Vec3 direction(const Vec3& v) {
  const double size = length(v);
  return size > 0 ? (1 / size) * v : Vec3{1, 0, 0};
}

}  // namespace

// The points and axes of a joint at the present poses, in world axes.
struct JointRows::JointFrame {
  JointFrame(const Joint& joint, const Bodies& bodies_in, const BodyRows& rows_in, double h)
      : a(joint.a), b(joint.b), bodies(bodies_in), rows(rows_in) {
    arm_a = rotate(bodies.orientation(a), joint.at_a.position);
    arm_b = rotate(bodies.orientation(b), joint.at_b.position);
    between = ((bodies.position(b) - bodies.position(a)) + arm_b) - arm_a;
    const Quat q_a = bodies.orientation(a) * joint.at_a.orientation;
    const Quat q_b = bodies.orientation(b) * joint.at_b.orientation;
    turn = conjugate(q_a) * q_b;
    for (int i = 0; i < 3; ++i) {
      axes[i] = rotate(q_a, {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0});
    }
    axis_b = rotate(q_b, {1, 0, 0});
    rigid = softness(kRigidFrequencyShare / h, kRigidDampingRatio, h);
  }

  std::uint32_t a, b;
  const Bodies& bodies;
  const BodyRows& rows;
  Vec3 arm_a, arm_b;  // from the centres of mass to the points
  Vec3 between;       // from a's point to b's
  Vec3 axes[3];       // x, y and z axis of the joint on a
  Vec3 axis_b;        // x axis of the joint on b
  Quat turn;          // orientation of the joint's axes on b relative to those on a
  Softness rigid;
};

// --- rows ---

void JointRows::add_row(const JointFrame& frame, Rule rule, const Vec3& n, const Vec3& j_a,
                        const Vec3& j_b, double error) {
  Row row{rule, next_impulse_++, frame.a, frame.b, n,           j_a, j_b, {}, {},
          0,    error,           0,       {},      frame.rigid, {}};
  row.k_a = turned_by(frame.bodies, frame.a, j_a);
  row.k_b = turned_by(frame.bodies, frame.b, j_b);
  const double inverse_mass = dot(n, n) * (frame.rows.motion[frame.a].inverse_mass() +
                                           frame.rows.motion[frame.b].inverse_mass()) +
                              (dot(j_a, row.k_a) + dot(j_b, row.k_b));
  row.mass = inverse_mass > 0 ? 1 / inverse_mass : 0;
  rows_.push_back(row);
}

// Adds three rows that make the points of the joint on both bodies coincide.
void JointRows::add_point(const JointFrame& f) {
  const Vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const Vec3& n : axes) {
    add_row(f, Rule::hold, n, cross(f.arm_a, n), cross(f.arm_b, n), dot(f.between, n));
  }
}

// Adds three rows that forbid relative rotation. For a small rotation, twice the vector part of the
// quaternion is the angle about each axis.
void JointRows::add_turning(const JointFrame& f) {
  const double twice = f.turn.w < 0 ? -2 : 2;
  const double error[3] = {twice * f.turn.x, twice * f.turn.y, twice * f.turn.z};
  for (int i = 0; i < 3; ++i) {
    add_row(f, Rule::hold, {}, f.axes[i], f.axes[i], error[i]);
  }
}

// Adds the row of a spring. Let w = 2 pi frequency, z the damping ratio and h the substep. x is the
// stretch, coordinate minus `rest`, and u its rate of change. Rule::spring changes u by
//
//   -(h W^2 x + 2 z w h u) / (1 + 2 z w h), W = 2 sin(w h / 2) / h
//
// Without damping, x then oscillates with exactly the angular frequency w and keeps its energy
// (leapfrog; W corrects its frequency). Springs that are too stiff for this become soft
// constraints, Rule::stiff.
void JointRows::add_spring(const Joint& joint, const JointFrame& f, const Vec3& n, const Vec3& j_a,
                           const Vec3& j_b, double stretch) {
  ORRERY_ASSERT(joint.frequency > 0 && joint.damping_ratio >= 0);
  const double turn = 2 * std::numbers::pi * joint.frequency * time_;
  const double turns = 2 * std::numbers::pi * frequencies_ * time_;
  const bool stiff = turn > kSpringTurnMax || turn * turns > kSpringsTurnMax;
  add_row(f, stiff ? Rule::stiff : Rule::spring, n, j_a, j_b, stretch);
  Row& row = rows_.back();
  if (stiff) {
    row.soft = softness(joint.frequency, joint.damping_ratio, time_);
    return;
  }
  const double sine = 2 * elementary::sin(turn / 2);
  const double damping = 2 * joint.damping_ratio * turn;
  row.rates = {sine * sine / (time_ * (1 + damping)), damping / (1 + damping)};
}

// Adds the rows of the limits, spring and motor of a coordinate. `value` is its present value.
// REQUIRES: n . (v_b - v_a) + j_b . w_b - j_a . w_a is the rate of change of `value`. v are the
// velocities of the bodies a and b, and w their angular velocities.
void JointRows::add_parts(const Joint& joint, const JointFrame& f, const Vec3& n, const Vec3& j_a,
                          const Vec3& j_b, double value) {
  if (joint.limited) {
    ORRERY_ASSERT(joint.lower <= joint.upper);
    if (joint.kind != JointKind::ball) {
      add_row(f, Rule::bound, n, j_a, j_b, value - joint.lower);
    }
    add_row(f, Rule::bound, -n, -j_a, -j_b, joint.upper - value);
  }
  if (joint.frequency > 0) add_spring(joint, f, n, j_a, j_b, value - joint.rest);
  if (joint.motor_max > 0) {
    add_row(f, Rule::drive, n, j_a, j_b, joint.motor_speed);
    Row& row = rows_.back();
    row.limit = time_ * joint.motor_max;
    if (joint.limited) row.room.above = joint.upper - value;
    if (joint.limited && joint.kind != JointKind::ball) row.room.below = value - joint.lower;
  }
}

// Adds the rows that hold a joint together.
void JointRows::add_hold(const Joint& joint, const JointFrame& f) {
  switch (joint.kind) {
    case JointKind::distance: {
      const Vec3 n = direction(f.between);
      return add_row(f, Rule::hold, n, cross(f.arm_a, n), cross(f.arm_b, n),
                     dot(f.between, n) - joint.rest);
    }
    case JointKind::ball:
      return add_point(f);
    case JointKind::hinge: {
      add_point(f);
      const Vec3 swing = cross(f.axes[0], f.axis_b);
      for (int i = 1; i < 3; ++i) {
        add_row(f, Rule::hold, {}, f.axes[i], f.axes[i], dot(swing, f.axes[i]));
      }
      return;
    }
    case JointKind::slider: {
      const Vec3 arm_a = f.arm_a + f.between;
      for (int i = 1; i < 3; ++i) {
        const Vec3& n = f.axes[i];
        add_row(f, Rule::hold, n, cross(arm_a, n), cross(f.arm_b, n), dot(f.between, n));
      }
      return add_turning(f);
    }
    case JointKind::weld:
      add_point(f);
      return add_turning(f);
  }
}

// Adds the rows of the limits, spring and motor of a joint.
void JointRows::add_coordinate(const Joint& joint, const JointFrame& f, std::span<double> numbers) {
  switch (joint.kind) {
    case JointKind::distance: {
      const Vec3 n = direction(f.between);
      return add_parts(joint, f, n, cross(f.arm_a, n), cross(f.arm_b, n), dot(f.between, n));
    }
    case JointKind::ball: {
      const Vec3 swing = cross(f.axes[0], f.axis_b);
      // If the x axes are parallel, any axis perpendicular to them will do.
      const Vec3 axis = swing == Vec3{} ? f.axes[1] : direction(swing);
      return add_parts(joint, f, {}, axis, axis,
                       elementary::polar_angle(dot(swing, axis), dot(f.axes[0], f.axis_b)));
    }
    case JointKind::hinge: {
      if (!keeps_angle(joint)) return add_parts(joint, f, {}, f.axes[0], f.axes[0], 0);
      double& angle = numbers[next_impulse_ + coordinate_rows(joint)];
      angle = nearest_angle(f.turn, angle);
      return add_parts(joint, f, {}, f.axes[0], f.axes[0], angle);
    }
    case JointKind::slider: {
      const Vec3& n = f.axes[0];
      return add_parts(joint, f, n, cross(f.arm_a + f.between, n), cross(f.arm_b, n),
                       dot(f.between, n));
    }
    case JointKind::weld:
      return;
  }
}

void JointRows::start(double h) {
  ORRERY_ASSERT(h > 0);
  time_ = h;
  rows_.clear();
}

void JointRows::add(const Joint& joint, bool holds, std::uint32_t first, double frequencies,
                    const Bodies& bodies, const BodyRows& rows, std::span<double> numbers) {
  ORRERY_ASSERT(joint.a < bodies.slots() && joint.b < bodies.slots());
  ORRERY_ASSERT(frequencies >= joint.frequency);
  ORRERY_ASSERT(time_ > 0);
  const JointFrame frame(joint, bodies, rows, time_);
  ORRERY_ASSERT(first + state_numbers(joint) <= numbers.size());
  next_impulse_ = first;
  frequencies_ = frequencies;
  if (holds && hold_rows(joint) > 0) {
    add_hold(joint, frame);
  } else {
    next_impulse_ += hold_rows(joint);
  }
  add_coordinate(joint, frame, numbers);
  ORRERY_ASSERT(next_impulse_ == first + hold_rows(joint) + coordinate_rows(joint));
}

// --- passes ---

double JointRows::speed(const BodyRows& bodies, const Row& row) {
  const SolverBody &a = bodies.motion[row.a], &b = bodies.motion[row.b];
  return dot(row.n, get(b, 0) - get(a, 0)) + (dot(row.j_b, get(b, 3)) - dot(row.j_a, get(a, 3)));
}

// A body without inverse mass cannot be pushed, and its row of `motion` must not change.
void JointRows::push(const BodyRows& bodies, const Row& row, double impulse) {
  SolverBody &a = bodies.motion[row.a], &b = bodies.motion[row.b];
  if (a.inverse_mass() > 0) {
    change(a, 0, (-impulse * a.inverse_mass()) * row.n);
    change(a, 3, -impulse * row.k_a);
  }
  if (b.inverse_mass() > 0) {
    change(b, 0, (impulse * b.inverse_mass()) * row.n);
    change(b, 3, impulse * row.k_b);
  }
}

void JointRows::kick_springs(const BodyRows& bodies, std::span<const Row> rows,
                             std::span<double> impulses) const {
  ORRERY_ASSERT(rows.empty() || rows.back().impulse < impulses.size());
  for (const Row& row : rows) {
    if (row.mass == 0 || row.rule != Rule::spring) continue;
    const double wanted =
        -row.mass * (row.rates.pull * row.error + row.rates.brake * speed(bodies, row));
    const double impulse = std::clamp(wanted, -limits::kForceMax, limits::kForceMax);
    impulses[row.impulse] = impulse;
    push(bodies, row, impulse);
  }
}

void JointRows::apply(const BodyRows& bodies, std::span<const Row> rows,
                      std::span<const double> impulses) const {
  ORRERY_ASSERT(rows.empty() || rows.back().impulse < impulses.size());
  for (const Row& row : rows) {
    if (row.mass > 0 && row.rule != Rule::spring) push(bodies, row, impulses[row.impulse]);
  }
}

template <bool kRelax>
void JointRows::pass(const BodyRows& bodies, std::span<const Row> rows,
                     std::span<double> impulses) const {
  ORRERY_ASSERT(time_ > 0);
  ORRERY_ASSERT(rows.empty() || rows.back().impulse < impulses.size());
  for (const Row& row : rows) {
    if (row.mass == 0 || row.rule == Rule::spring) continue;
    const double now = speed(bodies, row);
    const double soft = row.soft.mass * (now + row.soft.rate * row.error);
    const double old = impulses[row.impulse];
    double impulse = old;
    switch (row.rule) {
      case Rule::hold:
        impulse -= kRelax ? row.mass * now : row.mass * soft + (1 - row.soft.mass) * old;
        break;
      case Rule::spring:
        break;
      case Rule::stiff:
        if (kRelax) continue;
        impulse -= row.mass * soft + (1 - row.soft.mass) * old;
        break;
      case Rule::bound:
        if (row.error > 0) {
          impulse -= row.mass * (now + row.error / time_);
        } else {
          impulse -= kRelax ? row.mass * now : row.mass * soft + (1 - row.soft.mass) * old;
        }
        impulse = std::max(impulse, 0.0);
        break;
      case Rule::drive:
        impulse = std::clamp(impulse - row.mass * (now - drive_speed(row, time_, kRelax)),
                             -row.limit, row.limit);
        break;
    }
    impulse = std::clamp(impulse, -limits::kForceMax, limits::kForceMax);
    impulses[row.impulse] = impulse;
    push(bodies, row, impulse - old);
  }
}

void JointRows::solve(const BodyRows& bodies, std::span<const Row> rows,
                      std::span<double> impulses) const {
  pass<false>(bodies, rows, impulses);
}

void JointRows::relax(const BodyRows& bodies, std::span<const Row> rows,
                      std::span<double> impulses) const {
  pass<true>(bodies, rows, impulses);
}

}  // namespace orrery::physics
