// Computes rows of joints and runs the passes over them.
#include "common/physics/joints/joint_rows.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "common/core/limits.h"
#include "common/math/elementary.h"
#include "common/physics/body/shaped_bodies.h"

namespace orrery::physics {
namespace {

#ifndef ORRERY_JOINT_KINDS  // a translation unit may include several sources
#define ORRERY_JOINT_KINDS
#include "common/physics/joints/joint_kinds.inl"
#endif

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
Vec3 turned_by(const Bodies& bodies, std::uint32_t slot, const Vec3& j, const JointTrees* stiff) {
  if (bodies.inverse_mass(slot) == 0) return {};
  const Quat q = bodies.orientation(slot);
  Vec3 inverse = bodies.inverse_inertia(slot);
  if (const double added = stiff ? stiff->added_inertia(slot) : 0; added > 0) {
    inverse = {inverse.x / (1 + added * inverse.x), inverse.y / (1 + added * inverse.y),
               inverse.z / (1 + added * inverse.z)};
  }
  return rotate(q, scaled(inverse, rotate_back(q, j)));
}

// Returns the angle nearest to `last` that is whole turns from `angle`.
double nearest_angle(double angle, double last) {
  ORRERY_ASSERT(last == last);  // not NaN
  constexpr double kTurn = 2 * std::numbers::pi;
  constexpr double kTurnsMax = 1e15;  // an image may contain any number
  const double turns = std::clamp((last - angle) / kTurn, -kTurnsMax, kTurnsMax);
  return angle +
         kTurn * static_cast<double>(static_cast<std::int64_t>(turns + (turns < 0 ? -0.5 : 0.5)));
}

}  // namespace

// --- rows ---

// A joint, of which rows are added, and its bodies.
struct JointRows::Source {
  const Joint& joint;
  const Bodies& bodies;
  const BodyRows& rows;
};

void JointRows::add_row(const Source& source, Rule rule, const Directions& along, double error) {
  const Joint& joint = source.joint;
  const BodyRows& rows = source.rows;
  const auto& [n, j_a, j_b] = along;
  ORRERY_ASSERT(error == error);  // not NaN
  Row row{rule, next_impulse_++, joint.a, joint.b, n,      j_a, j_b,  {}, {}, 0,
          1,    error,           0,       {},      rigid_, {},  load_};
  const double linear =
      dot(n, n) * (rows.motion[joint.a].inverse_mass() + rows.motion[joint.b].inverse_mass());
  // Returns the inverse of the effective mass, and sets k.
  const auto inverse = [&](const JointTrees* stiff) {
    row.k_a = turned_by(source.bodies, row.a, row.j_a, stiff);
    row.k_b = turned_by(source.bodies, row.b, row.j_b, stiff);
    return linear + (dot(row.j_a, row.k_a) + dot(row.j_b, row.k_b));
  };
  const double own = stiff_ ? inverse(nullptr) : 0;
  const double inverse_mass = inverse(stiff_);
  row.mass = inverse_mass > 0 ? 1 / inverse_mass : 0;
  if (row.mass > 0 && own > inverse_mass) row.share = inverse_mass / own;
  rows_.push_back(row);
}

// Adds the row of a spring. Let w = 2 pi frequency, z the damping ratio and h the substep. x is the
// stretch, coordinate minus `rest`, and u its rate of change. Before the drift, Rule::spring
// changes u by -h w^2 x, and after the drift by the damping, to e^(-2 z w h) u. At rest u is 0, so
// the spring then carries its load exactly, whatever its damping.
//
// Without damping the spring never rests. With W = 2 sin(w h / 2) / h instead of w, x oscillates
// with exactly the angular frequency w and keeps its energy (leapfrog). Springs that are too stiff
// for this become soft constraints, Rule::stiff.
void JointRows::add_spring(const Source& source, const Directions& along, double stretch) {
  const Joint& joint = source.joint;
  ORRERY_ASSERT(joint.frequency > 0 && joint.damping_ratio >= 0);
  const double turn = 2 * std::numbers::pi * joint.frequency * time_;
  const double turns = 2 * std::numbers::pi * frequencies_ * time_;
  const bool stiff = turn > kSpringTurnMax || turn * turns > kSpringsTurnMax;
  add_row(source, stiff ? Rule::stiff : Rule::spring, along, stretch);
  Row& row = rows_.back();
  if (stiff) {
    row.soft = softness(joint.frequency, joint.damping_ratio, time_);
    return;
  }
  const double damping = 2 * joint.damping_ratio * turn;
  const double reach = damping > 0 ? turn : 2 * elementary::sin(turn / 2);
  row.rates = {reach * reach / time_, 1 - elementary::exp(-damping)};
}

// Adds the row of a servo. Let w = 2 pi frequency, z the damping ratio, h the substep, E = e^(-z w
// h) and c = cos(w h sqrt(1 - z^2)), or cosh(w h sqrt(z^2 - 1)) if z > 1. A damped oscillator
// passes through positions with x'' - 2 E c x' + E^2 x = 0, where x, x' and x'' are a substep
// apart. With u = (x' - x) / h as the speed, the next speed is E^2 u - (1 + E^2 - 2 E c) x' / h. So
// the positions are exact without a load, as long as w h is above 1e-6.
void JointRows::add_servo(const Source& source, const Directions& along, double stretch) {
  const Joint& joint = source.joint;
  ORRERY_ASSERT(joint.frequency > 0 && joint.damping_ratio >= 0 && joint.servo_max > 0);
  const double turn = 2 * std::numbers::pi * joint.frequency * time_;
  const double decay = joint.damping_ratio * turn;
  const double other = turn * square_root(std::abs(1 - joint.damping_ratio * joint.damping_ratio));
  // 2 E c, written so that no factor overflows
  const double sum = joint.damping_ratio < 1
                         ? 2 * elementary::exp(-decay) * elementary::cos(std::min(other, 1e6))
                         : elementary::exp(other - decay) + elementary::exp(-other - decay);
  const double square = elementary::exp(-2 * decay);
  add_row(source, Rule::servo, along, stretch);
  rows_.back().limit = std::min(time_ * joint.servo_max, limits::kForceMax);
  rows_.back().rates = {(1 + square - sum) / time_, 1 - square};
}

// Adds the rows of the limits, spring and motor of a coordinate. `value` is its present value.
// REQUIRES: n . (v_b - v_a) + j_b . w_b - j_a . w_a is the rate of change of `value`. v are the
// velocities of the bodies a and b, and w their angular velocities.
void JointRows::add_coordinate(const Source& source, const Directions& along, double value) {
  const Joint& joint = source.joint;
  const bool has_lower = joint.limited && traits_of(joint.kind).has_lower;
  if (joint.limited) {
    ORRERY_ASSERT(joint.lower <= joint.upper);
    if (has_lower) add_row(source, Rule::bound, along, value - joint.lower);
    add_row(source, Rule::bound, {-along.n, -along.j_a, -along.j_b}, joint.upper - value);
  }
  if (joint.frequency > 0 && joint.servo) add_servo(source, along, value - joint.rest);
  if (joint.frequency > 0 && !joint.servo) add_spring(source, along, value - joint.rest);
  if (joint.motor_max > 0) {
    add_row(source, Rule::drive, along, joint.motor_speed);
    Row& row = rows_.back();
    row.limit = time_ * joint.motor_max;
    if (joint.limited) row.room.above = joint.upper - value;
    if (has_lower) row.room.below = value - joint.lower;
  }
}

void JointRows::start(double h, const JointTrees* stiff) {
  ORRERY_ASSERT(h > 0);
  stiff_ = stiff;
  time_ = h;
  rigid_ = softness(kRigidFrequencyShare / h, kRigidDampingRatio, h);
  rows_.clear();
}

void JointRows::add(const Joint& joint, bool holds, std::uint32_t first, double frequencies,
                    const Bodies& bodies, const BodyRows& rows, std::span<double> numbers,
                    JointLoad* load) {
  ORRERY_ASSERT(joint.a < bodies.slots() && joint.b < bodies.slots());
  ORRERY_ASSERT(frequencies >= joint.frequency);
  ORRERY_ASSERT(time_ > 0);
  ORRERY_ASSERT(first + state_numbers(joint) <= numbers.size());
  const Source source{joint, bodies, rows};
  const JointFrame frame(joint, pose_of(bodies, joint.a), pose_of(bodies, joint.b));
  const std::uint32_t held = first + hold_rows(joint), end = held + coordinate_rows(joint);
  next_impulse_ = first;
  frequencies_ = frequencies;
  load_ = load;
  auto add_hold = [&](const Vec3& n, const Vec3& j_a, const Vec3& j_b, double error) {
    add_row(source, Rule::hold, {n, j_a, j_b}, error);
  };
  if (holds && held > first) with_kind(joint.kind, [&](auto k) { k.hold(frame, add_hold); });
  ORRERY_ASSERT(!holds || next_impulse_ == held);
  next_impulse_ = held;
  auto add_parts = [&](const Vec3& n, const Vec3& j_a, const Vec3& j_b, double value) {
    if (keeps_angle(joint)) value = numbers[end] = nearest_angle(value, numbers[end]);
    add_coordinate(source, {n, j_a, j_b}, value);
  };
  if (end > held) with_kind(joint.kind, [&](auto k) { k.coordinate(frame, add_parts); });
  ORRERY_ASSERT(next_impulse_ == end);
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
  if (!row.load) return;
  // A force acts at the point of its joint, and a row without a direction n is a torque.
  row.load->impulse += impulse * row.n;
  if (row.n == Vec3{}) row.load->angular_impulse += impulse * row.j_b;
}

double JointRows::cut_error(const Row& row) {
  const double turn = row.mass * std::max(length(row.k_a), length(row.k_b));
  ORRERY_ASSERT(turn >= 0);
  const double most = turn > 0 ? kCutTurn / turn : std::numeric_limits<double>::infinity();
  return std::clamp(row.error, -most, most);
}

void JointRows::kick_springs(const BodyRows& bodies, std::span<const Row> rows,
                             std::span<double> impulses) const {
  ORRERY_ASSERT(rows.empty() || rows.back().impulse < impulses.size());
  for (const Row& row : rows) {
    if (row.mass == 0 || row.rule != Rule::spring) continue;
    const double impulse =
        std::clamp(-row.mass * row.rates.pull * row.error, -limits::kForceMax, limits::kForceMax);
    impulses[row.impulse] = impulse;
    push(bodies, row, impulse);
  }
}

void JointRows::damp_springs(const BodyRows& bodies, std::span<const Row> rows) const {
  for (const Row& row : rows) {
    if (row.mass == 0 || row.rule != Rule::spring || row.rates.brake == 0) continue;
    const double impulse = -row.mass * row.rates.brake * speed(bodies, row);
    push(bodies, row, std::clamp(impulse, -limits::kForceMax, limits::kForceMax));
  }
}

void JointRows::apply(const BodyRows& bodies, std::span<const Row> rows,
                      std::span<double> impulses) const {
  ORRERY_ASSERT(rows.empty() || rows.back().impulse < impulses.size());
  for (const Row& row : rows) {
    if (row.mass == 0 || row.rule == Rule::spring || row.rule == Rule::servo) continue;
    double& impulse = impulses[row.impulse];
    impulse = std::clamp(impulse / row.share, -limits::kForceMax, limits::kForceMax);
    push(bodies, row, impulse);
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
      case Rule::servo:
        if (kRelax) continue;
        impulse = std::clamp(-row.mass * (now - servo_speed(row, now)), -row.limit, row.limit);
        impulses[row.impulse] = impulse;
        push(bodies, row, impulse);
        continue;
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
    impulses[row.impulse] = kRelax ? row.share * impulse : impulse;
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
