// Computes the rows of joints and runs the passes over them.
#include "common/physics/solve/joints.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "common/core/hash.h"
#include "common/core/limits.h"
#include "common/math/elementary.h"

namespace orrery::physics {
namespace {

// Softness of `hold` and `bound` rows, which are as stiff as a substep allows.
constexpr double kRigidFrequencyShare = 0.25;  // frequency / substep frequency
constexpr double kRigidDampingRatio = 2;

Vec3 get(const SolverBody& row, std::uint32_t first) {
  return {row.at[first], row.at[first + 1], row.at[first + 2]};
}

void add(SolverBody& row, std::uint32_t first, const Vec3& v) {
  row.at[first] += v.x;
  row.at[first + 1] += v.y;
  row.at[first + 2] += v.z;
}

// Returns k = I^-1 j (both in world axes) at the present orientation. Contacts use the inertia at
// the start of the tick. For joints that is too old: a spinning limb turns far within a tick.
Vec3 turned_by(const Bodies& bodies, std::uint32_t slot, const Vec3& j) {
  if (bodies.inverse_mass(slot) == 0) return {};
  const Quat q = bodies.orientation(slot);
  return rotate(q, scaled(bodies.inverse_inertia(slot), rotate_back(q, j)));
}

std::uint32_t coordinate_rows(const Joint& joint) {
  const std::uint32_t limits = !joint.limited ? 0 : joint.kind == JointKind::ball ? 1 : 2;
  return limits + (joint.frequency > 0 ? 1 : 0) + (joint.motor_max > 0 ? 1 : 0);
}

std::uint32_t rows_of(const Joint& joint) {
  switch (joint.kind) {
    case JointKind::distance:
      return std::max(coordinate_rows(joint), 1u);
    case JointKind::ball:
      return 3 + coordinate_rows(joint);
    case JointKind::hinge:
    case JointKind::slider:
      return 5 + coordinate_rows(joint);
    case JointKind::weld:
      return 6;
  }
  return 0;
}

// Returns the unit vector along v, or x if v is zero.
Vec3 direction(const Vec3& v) {
  const double size = length(v);
  return size > 0 ? (1 / size) * v : Vec3{1, 0, 0};
}

}  // namespace

// The points and axes of a joint at the present poses, world axes.
struct JointSet::JointFrame {
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
  Quat turn;          // orientation of the joint's axes on b, in its axes on a
  Softness rigid;
};

void JointSet::set(std::span<const Joint> joints) {
  joints_.assign(joints.begin(), joints.end());
  broken_.assign(joints.size(), 0);
  first_row_.clear();
  std::uint32_t rows = 0;
  for (const Joint& joint : joints_) {
    ORRERY_ASSERT(joint.a != joint.b);
    first_row_.push_back(rows);
    rows += rows_of(joint);
  }
  first_row_.push_back(rows);
  impulses_.assign(rows, 0);
  rows_.reserve(rows);
  set_separate();
}

void JointSet::set_separate() {
  ORRERY_ASSERT(broken_.size() == joints_.size());
  separate_.clear();
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const Joint& joint = joints_[i];
    if (joint.collides || broken_[i]) continue;
    separate_.push_back({std::min(joint.a, joint.b), std::max(joint.a, joint.b)});
  }
  std::sort(separate_.begin(), separate_.end());
}

void JointSet::break_joints_of(std::uint32_t slot) {
  ORRERY_ASSERT(first_row_.size() == joints_.size() + 1 || joints_.empty());
  bool any = false;
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    if (joints_[i].a != slot && joints_[i].b != slot) continue;
    any = true;
    broken_[i] = 1;
    std::fill(impulses_.begin() + first_row_[i], impulses_.begin() + first_row_[i + 1], 0.0);
  }
  if (any) set_separate();
}

// A broken joint must have zero impulses, so that one state has only one encoding.
bool JointSet::fits(std::span<const double> impulses, std::span<const std::uint8_t> broken) const {
  if (impulses.size() != impulses_.size() || broken.size() != broken_.size()) return false;
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    if (broken[i] > 1) return false;
    const double most = broken[i] ? 0 : limits::kForceMax;
    for (std::uint32_t row = first_row_[i]; row < first_row_[i + 1]; ++row) {
      if (!(std::abs(impulses[row]) <= most)) return false;
      if (broken[i] && std::signbit(impulses[row])) return false;
    }
  }
  return true;
}

void JointSet::restore(std::span<const double> impulses, std::span<const std::uint8_t> broken) {
  ORRERY_ASSERT(fits(impulses, broken));
  std::copy(impulses.begin(), impulses.end(), impulses_.begin());
  std::copy(broken.begin(), broken.end(), broken_.begin());
  set_separate();
}

std::uint64_t JointSet::hash() const {
  ORRERY_ASSERT(broken_.size() == joints_.size());
  std::uint64_t h = joints_.size();
  for (const double impulse : impulses_) h = mix64(h + std::bit_cast<std::uint64_t>(impulse));
  for (const std::uint8_t broken : broken_) h = mix64(h + broken);
  return h;
}

double joint_error(const Joint& joint, const Bodies& bodies) {
  const auto point = [&](std::uint32_t slot, const Pose& at) {
    return bodies.position(slot) + rotate(bodies.orientation(slot), at.position);
  };
  const Vec3 between = point(joint.b, joint.at_b) - point(joint.a, joint.at_a);
  const double distance = length(between);
  switch (joint.kind) {
    case JointKind::distance: {
      if (joint.limited) {
        return std::max({0.0, joint.lower - distance, distance - joint.upper});
      }
      return coordinate_rows(joint) == 0 ? std::abs(distance - joint.rest) : 0;
    }
    case JointKind::slider: {
      const Vec3 axis = rotate(bodies.orientation(joint.a) * joint.at_a.orientation, {1, 0, 0});
      return length(between - dot(between, axis) * axis);
    }
    default:
      return distance;
  }
}

// --- rows ---

void JointSet::add_row(const JointFrame& frame, Rule rule, const Vec3& n, const Vec3& j_a,
                       const Vec3& j_b, double error) {
  Row row{rule, frame.a, frame.b, n, j_a, j_b, {}, {}, 0, error, 0, frame.rigid};
  row.k_a = turned_by(frame.bodies, frame.a, j_a);
  row.k_b = turned_by(frame.bodies, frame.b, j_b);
  const double inverse_mass = dot(n, n) * (frame.rows.motion[frame.a].inverse_mass() +
                                           frame.rows.motion[frame.b].inverse_mass()) +
                              (dot(j_a, row.k_a) + dot(j_b, row.k_b));
  row.mass = inverse_mass > 0 ? 1 / inverse_mass : 0;
  rows_.push_back(row);
}

// Adds three rows that make the points of the joint on both bodies coincide.
void JointSet::add_point(const JointFrame& f) {
  const Vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const Vec3& n : axes) {
    add_row(f, Rule::hold, n, cross(f.arm_a, n), cross(f.arm_b, n), dot(f.between, n));
  }
}

// Adds three rows that forbid relative rotation. For a small rotation, twice the vector part of the
// quaternion is the angle about each axis.
void JointSet::add_turning(const JointFrame& f) {
  const double twice = f.turn.w < 0 ? -2 : 2;
  const double error[3] = {twice * f.turn.x, twice * f.turn.y, twice * f.turn.z};
  for (int i = 0; i < 3; ++i) {
    add_row(f, Rule::hold, {}, f.axes[i], f.axes[i], error[i]);
  }
}

// Adds the rows of the limits, spring and motor of a coordinate, whose present value is `value`.
// n, j_a and j_b are such that the speed of the row is the rate of change of `value`.
void JointSet::add_coordinate(const Joint& joint, const JointFrame& f, const Vec3& n,
                              const Vec3& j_a, const Vec3& j_b, double value) {
  if (joint.limited) {
    if (joint.kind != JointKind::ball) {
      add_row(f, Rule::bound, n, j_a, j_b, value - joint.lower);
    }
    add_row(f, Rule::bound, -n, -j_a, -j_b, joint.upper - value);
  }
  if (joint.frequency > 0) {
    add_row(f, Rule::spring, n, j_a, j_b, value - joint.rest);
    rows_.back().soft = softness(joint.frequency, joint.damping_ratio, time_);
  }
  if (joint.motor_max > 0) {
    add_row(f, Rule::drive, n, j_a, j_b, joint.motor_speed);
    rows_.back().limit = time_ * joint.motor_max;
  }
}

void JointSet::add_joint(const Joint& joint, const JointFrame& f) {
  switch (joint.kind) {
    case JointKind::distance: {
      const Vec3 n = direction(f.between);
      const Vec3 j_a = cross(f.arm_a, n), j_b = cross(f.arm_b, n);
      const double distance = dot(f.between, n);
      if (coordinate_rows(joint) == 0) {
        add_row(f, Rule::hold, n, j_a, j_b, distance - joint.rest);
      }
      return add_coordinate(joint, f, n, j_a, j_b, distance);
    }
    case JointKind::ball: {
      add_point(f);
      const Vec3 swing = cross(f.axes[0], f.axis_b);
      // If the x axes are parallel, any axis perpendicular to them will do.
      const Vec3 axis = swing == Vec3{} ? f.axes[1] : direction(swing);
      return add_coordinate(joint, f, {}, axis, axis,
                            elementary::polar_angle(dot(swing, axis), dot(f.axes[0], f.axis_b)));
    }
    case JointKind::hinge: {
      add_point(f);
      const Vec3 swing = cross(f.axes[0], f.axis_b);
      for (int i = 1; i < 3; ++i) {
        add_row(f, Rule::hold, {}, f.axes[i], f.axes[i], dot(swing, f.axes[i]));
      }
      // q and -q are the same rotation. The quaternion with w >= 0 gives an angle from -pi to pi.
      const double sign = f.turn.w < 0 ? -1 : 1;
      const double angle = 2 * elementary::polar_angle(sign * f.turn.x, sign * f.turn.w);
      return add_coordinate(joint, f, {}, f.axes[0], f.axes[0], angle);
    }
    case JointKind::slider: {
      const Vec3 arm_a = f.arm_a + f.between;
      for (int i = 1; i < 3; ++i) {
        const Vec3& n = f.axes[i];
        add_row(f, Rule::hold, n, cross(arm_a, n), cross(f.arm_b, n), dot(f.between, n));
      }
      add_turning(f);
      const Vec3& n = f.axes[0];
      return add_coordinate(joint, f, n, cross(arm_a, n), cross(f.arm_b, n), dot(f.between, n));
    }
    case JointKind::weld:
      add_point(f);
      return add_turning(f);
  }
}

void JointSet::prepare(const Bodies& bodies, const BodyRows& rows, double h) {
  ORRERY_ASSERT(h > 0);
  time_ = h;
  rows_.clear();
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    if (broken_[i]) {
      rows_.resize(first_row_[i + 1]);  // rows without mass have no effect
    } else {
      add_joint(joints_[i], JointFrame(joints_[i], bodies, rows, h));
    }
    ORRERY_ASSERT(rows_.size() == first_row_[i + 1]);
  }
}

// --- passes ---

double JointSet::speed(const BodyRows& rows, const Row& row) const {
  const SolverBody &a = rows.motion[row.a], &b = rows.motion[row.b];
  return dot(row.n, get(b, 0) - get(a, 0)) + (dot(row.j_b, get(b, 3)) - dot(row.j_a, get(a, 3)));
}

// A body that does not move has no inverse mass and inertia, and its row must not change.
void JointSet::push(const BodyRows& rows, const Row& row, double impulse) const {
  SolverBody &a = rows.motion[row.a], &b = rows.motion[row.b];
  if (a.inverse_mass() > 0) {
    add(a, 0, (-impulse * a.inverse_mass()) * row.n);
    add(a, 3, -impulse * row.k_a);
  }
  if (b.inverse_mass() > 0) {
    add(b, 0, (impulse * b.inverse_mass()) * row.n);
    add(b, 3, impulse * row.k_b);
  }
}

void JointSet::apply(const BodyRows& rows, double sign) const {
  ORRERY_ASSERT(sign == 1 || sign == -1);
  ORRERY_ASSERT(rows_.size() == impulses_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].mass > 0) push(rows, rows_[i], sign * impulses_[i]);
  }
}

template <bool kRelax>
void JointSet::pass(const BodyRows& rows, double h) {
  ORRERY_ASSERT(h == time_);
  ORRERY_ASSERT(rows_.size() == impulses_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    if (row.mass == 0) continue;
    const double now = speed(rows, row);
    const double soft = row.soft.mass * (now + row.soft.rate * row.error);
    const double old = impulses_[i];
    double impulse = old;
    switch (row.rule) {
      case Rule::hold:
        impulse -= kRelax ? row.mass * now : row.mass * soft + (1 - row.soft.mass) * old;
        break;
      case Rule::spring:
        impulse -= row.mass * soft + (1 - row.soft.mass) * old;
        break;
      case Rule::bound:
        if (row.error > 0) {
          impulse -= row.mass * (now + row.error / h);
        } else {
          impulse -= kRelax ? row.mass * now : row.mass * soft + (1 - row.soft.mass) * old;
        }
        impulse = std::max(impulse, 0.0);
        break;
      case Rule::drive:
        impulse = std::clamp(impulse - row.mass * (now - row.error), -row.limit, row.limit);
        break;
    }
    impulse = std::clamp(impulse, -limits::kForceMax, limits::kForceMax);
    impulses_[i] = impulse;
    push(rows, row, impulse - old);
  }
}

// Bounds the speeds of the bodies of joints, and their spins to an eighth of a turn in a substep,
// as Box2D does. The directions of rows are fixed during a substep. A faster spin leaves errors in
// a new direction each time, and correcting them makes joints shake.
void JointSet::bound_speeds(const BodyRows& rows, double h) const {
  constexpr double kTurnMax = std::numbers::pi / 4;
  ORRERY_ASSERT(h > 0);
  const auto bound = [&](std::uint32_t slot) {
    SolverBody& row = rows.motion[slot];
    if (row.inverse_mass() == 0) return;
    for (int i = 0; i < 3; ++i) {
      row.at[i] = std::clamp(row.at[i], -limits::kSpeedMax, limits::kSpeedMax);
    }
    const double turn = h * length(get(row, 3));
    if (turn <= kTurnMax) return;
    for (int i = 3; i < 6; ++i) row.at[i] *= kTurnMax / turn;
  };
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    if (broken_[i]) continue;
    bound(joints_[i].a);
    bound(joints_[i].b);
  }
}

void JointSet::solve(const BodyRows& rows, double h) {
  pass<false>(rows, h);
  bound_speeds(rows, h);
}

void JointSet::relax(const BodyRows& rows, double h) {
  pass<true>(rows, h);
  bound_speeds(rows, h);
}

void JointSet::predict_limits(const BodyRows& rows, double h) {
  ORRERY_ASSERT(h == time_);
  for (Row& row : rows_) {
    if (row.rule == Rule::bound) row.error += h * speed(rows, row);
  }
}

}  // namespace orrery::physics
