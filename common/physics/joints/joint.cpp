// Counts the rows of a joint, and measures its error.
#include "common/physics/joints/joint.h"

#include <algorithm>
#include <numbers>

#include "common/core/assert.h"
#include "common/core/limits.h"
#include "common/math/elementary.h"
#include "common/physics/body/shaped_bodies.h"

namespace orrery::physics {
namespace {

#ifndef ORRERY_JOINT_KINDS  // a translation unit may include several sources
#define ORRERY_JOINT_KINDS
#include "common/physics/joints/joint_kinds.inl"
#endif

bool has_coordinate_rows(const JointSettings& joint) {
  return joint.limited || joint.frequency > 0 || joint.motor_max > 0;
}

}  // namespace

const JointTraits& traits_of(JointKind kind) {
  return with_kind(kind, [](auto k) -> const JointTraits& { return k.kTraits; });
}

Vec3 direction(const Vec3& v) {
  const double size = length(v);
  ORRERY_ASSERT(size == size);  // not NaN
  return size > 0 ? (1 / size) * v : Vec3{1, 0, 0};
}

JointFrame::JointFrame(const Joint& joint, const Pose& a, const Pose& b)
    : arm_a(rotate(a.orientation, joint.at_a.position)),
      arm_b(rotate(b.orientation, joint.at_b.position)),
      between(((b.position - a.position) + arm_b) - arm_a),
      rest(joint.rest),
      middle(joint.a_moves && joint.b_moves ? 0.5 : 0) {
  const Quat q_a = a.orientation * joint.at_a.orientation;
  const Quat q_b = b.orientation * joint.at_b.orientation;
  turn = conjugate(q_a) * q_b;
  for (int i = 0; i < 3; ++i) {
    axes[i] = rotate(q_a, {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0});
  }
  axis_b = rotate(q_b, {1, 0, 0});
}

JointFrame::Apart JointFrame::apart() const {
  const Vec3 n = direction(between);
  return {n, dot(between, n)};
}

std::uint32_t hold_rows(const JointSettings& joint) {
  const JointTraits& traits = traits_of(joint.kind);
  ORRERY_ASSERT(traits.kind == joint.kind);
  return traits.holds_rest && has_coordinate_rows(joint) ? 0 : traits.lengths + traits.angles;
}

std::uint32_t coordinate_rows(const JointSettings& joint) {
  ORRERY_ASSERT(joint.frequency >= 0 && joint.motor_max >= 0);
  const std::uint32_t limits = !joint.limited ? 0 : traits_of(joint.kind).has_lower ? 2 : 1;
  return limits + (joint.frequency > 0 ? 1 : 0) + (joint.motor_max > 0 ? 1 : 0);
}

bool keeps_angle(const JointSettings& joint) {
  ORRERY_ASSERT(joint.frequency >= 0);
  return traits_of(joint.kind).winds && (joint.limited || joint.frequency > 0);
}

std::uint32_t state_numbers(const JointSettings& joint) {
  return hold_rows(joint) + coordinate_rows(joint) + (keeps_angle(joint) ? 1 : 0);
}

Vec3 joint_gap(const Joint& joint, const JointFrame& frame) {
  Vec3 gap;
  auto add = [&](const Vec3& n, const Vec3&, const Vec3&, double error) {
    ORRERY_ASSERT(dot(n, n) < 1 + 1e-9);
    gap += error * n;
  };
  if (hold_rows(joint) > 0) with_kind(joint.kind, [&](auto kind) { kind.hold(frame, add); });
  return gap;
}

double joint_error(const Joint& joint, const Bodies& bodies) {
  ORRERY_ASSERT(joint.a < bodies.slots() && joint.b < bodies.slots());
  const JointFrame frame(joint, pose_of(bodies, joint.a), pose_of(bodies, joint.b));
  if (hold_rows(joint) > 0) return length(joint_gap(joint, frame));
  ORRERY_ASSERT(!joint.limited || joint.lower <= joint.upper);
  double error = 0;
  auto add = [&](const Vec3&, const Vec3&, const Vec3&, double value) {
    error = std::max({0.0, joint.lower - value, value - joint.upper});
  };
  if (joint.limited) with_kind(joint.kind, [&](auto kind) { kind.coordinate(frame, add); });
  return error;
}

}  // namespace orrery::physics
