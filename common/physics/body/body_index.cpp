// Builds bounding boxes from poses, and the spatial index of bodies.
#include "common/physics/body/body_index.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/core/limits.h"

namespace orrery::physics {
namespace {

// Returns true for awake bodies that can be pushed, and for kinematic bodies. A kinematic body has
// no inverse mass but an inverse inertia. A fixed or sleeping body has neither.
bool may_move(const Bodies& bodies, std::uint32_t slot) {
  return bodies.inverse_mass(slot) != 0 || bodies.at(BodyField::inverse_inertia_x, slot) != 0;
}

bool is_bounded(const Aabb& box) {
  const auto finite = [](const Vec3& v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
  };
  return finite(box.lower) && finite(box.upper);
}

// Clamps a box to finite numbers: the position of a body may have overflowed to infinity.
Aabb finite_box(const Aabb& box) {
  constexpr double kMost = std::numeric_limits<double>::max();
  const Vec3 most{kMost, kMost, kMost};
  return {lesser(greater(box.lower, -most), most), lesser(greater(box.upper, -most), most)};
}

// Returns a body with its box or ball grown by `growth`.
Proxy make_proxy(const ShapedBodies& bodies, std::uint32_t slot, double growth) {
  const std::span<const Part> parts = bodies.parts(slot);
  ORRERY_ASSERT(!parts.empty() && growth >= 0);
  const Pose pose = bodies.pose(slot);
  Proxy proxy;
  proxy.slot = slot;
  if (parts.size() == 1 && parts[0].kind == ShapeKind::sphere) {
    const double r = parts[0].radius + growth;
    const Vec3 centre =
        parts[0].position == Vec3{} ? pose.position : transform(pose, parts[0].position);
    proxy.radius = r;
    proxy.box = enlarged({centre, centre}, r);
    return proxy;
  }
  proxy.box = bounds(bodies.shapes, parts[0], pose);
  for (const Part& part : parts.subspan(1)) {
    proxy.box = united(proxy.box, bounds(bodies.shapes, part, pose));
  }
  proxy.box = enlarged(proxy.box, growth);
  return proxy;
}

}  // namespace

bool may_touch(const UnboundedBody& body, const Aabb& box) {
  if (!body.half_space) return true;
  const Vec3& n = body.normal;
  const Vec3 absolute{std::abs(n.x), std::abs(n.y), std::abs(n.z)};
  const Vec3 centre = 0.5 * box.lower + 0.5 * box.upper;
  const Vec3 half = 0.5 * box.upper - 0.5 * box.lower;
  return !(dot(n, centre) - dot(absolute, half) > body.offset);
}

BodyIndex::BodyIndex(std::uint32_t capacity)
    : capacity_(capacity), moving_tree_(capacity), fixed_tree_(capacity) {
  ORRERY_ASSERT(capacity >= 1);
  ORRERY_ASSERT(capacity <= limits::kBodiesMax);
  moving_slots_.reserve(capacity);
  moving_.reserve(capacity);
}

void BodyIndex::update(const ShapedBodies& shaped, const ContactMargin& margin,
                       Executor& executor) {
  ORRERY_ASSERT(margin.fall >= 0);
  ORRERY_ASSERT(shaped.bodies.slots() <= shaped.shape_of.size());
  if (!known_ || margin.fall != margin_.fall) {
    list_bodies(shaped, margin);
    fixed_tree_.build(fixed_, executor);
    margin_ = margin;
    known_ = true;
  }
  moving_.resize(moving_slots_.size());
  parallel_ranges(executor, static_cast<std::uint32_t>(moving_.size()), kBodiesLeast,
                  [&](std::uint32_t begin, std::uint32_t end) {
                    for (std::uint32_t i = begin; i < end; ++i) {
                      const std::uint32_t slot = moving_slots_[i];
                      const PartSize size = largest_size(shaped.parts(slot));
                      moving_[i] = make_proxy(shaped, slot, margin.of(size) / 2);
                      moving_[i].box = finite_box(moving_[i].box);
                    }
                  });
  moving_tree_.build(moving_, executor);
}

const Aabb& BodyIndex::box_of_moving(std::uint32_t slot) const {
  const auto at = std::lower_bound(moving_slots_.begin(), moving_slots_.end(), slot);
  ORRERY_ASSERT(at != moving_slots_.end() && *at == slot);
  return moving_[static_cast<std::size_t>(at - moving_slots_.begin())].box;
}

// A surface has no inner radius. It grows by half of the largest margin of a moving body.
void BodyIndex::list_bodies(const ShapedBodies& shaped, const ContactMargin& margin) {
  const Bodies& bodies = shaped.bodies;
  ORRERY_ASSERT(bodies.slots() <= capacity_);
  moving_slots_.clear();
  fixed_.clear();
  unbounded_.clear();
  any_kinematic_ = false;
  PartSize largest_moving;
  for (std::uint32_t slot = 0; slot < bodies.slots(); ++slot) {
    if (!bodies.alive(slot) || !shaped.has_shape(slot)) continue;
    if (may_move(bodies, slot)) {
      ORRERY_ASSERT(shaped.shape(slot).movable);
      moving_slots_.push_back(slot);
      any_kinematic_ = any_kinematic_ || bodies.inverse_mass(slot) == 0;
      largest_moving = largest_size(largest_moving, largest_size(shaped.parts(slot)));
    }
  }
  for (std::uint32_t slot = 0; slot < bodies.slots(); ++slot) {
    if (!bodies.alive(slot) || !shaped.has_shape(slot) || may_move(bodies, slot)) continue;
    const bool solid = shaped.shape(slot).movable;
    const PartSize size = solid ? largest_size(shaped.parts(slot)) : largest_moving;
    const double growth = margin.of(size) / 2;
    const Proxy proxy = make_proxy(shaped, slot, growth);
    if (is_bounded(proxy.box)) {
      fixed_.push_back(proxy);
      continue;
    }
    const std::span<const Part> parts = shaped.parts(slot);
    const Pose pose = shaped.pose(slot);
    const Vec3 normal = rotate(pose.orientation * parts[0].orientation, Vec3{0, 1, 0});
    const Vec3 at = pose.position + rotate(pose.orientation, parts[0].position);
    const bool half_space = parts.size() == 1 && parts[0].kind == ShapeKind::plane;
    unbounded_.push_back({slot, half_space, normal, dot(normal, at) + growth});
  }
  ORRERY_ASSERT(moving_slots_.size() + fixed_.size() + unbounded_.size() <= bodies.slots());
}

}  // namespace orrery::physics
