// Owns the sweep of the cores of fast bodies.
#include "common/physics/continuous.h"

#include <algorithm>

#include "common/core/limits.h"
#include "common/physics/queries.h"
#include "common/physics/tree_walk.h"

namespace orrery {
namespace {

constexpr BodyField kPoseFields[7] = {BodyField::position_x,    BodyField::position_y,
                                      BodyField::position_z,    BodyField::orientation_x,
                                      BodyField::orientation_y, BodyField::orientation_z,
                                      BodyField::orientation_w};

// A core is this near to what it meets when it stops.
constexpr double kDistance = 1e-3;

// The way of a point of a body, as that of a ball that does not turn.
Motion way_of(const Motion& body, const Vec3& at) {
  return {{transform(body.from, at), {}}, {transform(body.to, at), {}}};
}

// Of the centre of any of the parts; turning does not move a centre that is the body's.
double longest_way(std::span<const Part> parts, const Motion& body) {
  double longest = 0;
  for (const Part& part : parts) {
    const Motion way = part.position == Vec3{} ? body : way_of(body, part.position);
    longest = std::max(longest, length(way.to.position - way.from.position));
  }
  return longest;
}

Aabb around(const Motion& way, double margin) {
  return enlarged(
      {lesser(way.from.position, way.to.position), greater(way.from.position, way.to.position)},
      margin);
}

// False if the ball was in the other part from the start, which is for the contact to push out, or
// was near it and has left.
bool closes(const Impact& impact, const Motion& ball, const Motion& other) {
  if (impact.fraction > 0) return true;
  const Vec3 moved =
      (ball.to.position - ball.from.position) - (other.to.position - other.from.position);
  return dot(moved, impact.normal) > 0;
}

}  // namespace

struct ContinuousCollision::Input {
  const Bodies& bodies;
  const ShapeSet& shapes;
  std::span<const std::uint32_t> shape_of;
  const BodyIndex& index;
  std::span<const Pair> separate;
};

ContinuousCollision::ContinuousCollision(std::uint32_t capacity) {
  ORRERY_ASSERT(capacity >= 1);
  for (std::vector<double>& field : start_) field.resize(capacity);
  fast_.reserve(capacity);
  ways_.reserve(capacity);
}

void ContinuousCollision::begin(const Bodies& bodies) {
  ORRERY_ASSERT(bodies.slots() <= start_[0].size());
  for (std::size_t i = 0; i < std::size(kPoseFields); ++i) {
    std::copy_n(bodies.field(kPoseFields[i]), bodies.slots(), start_[i].begin());
  }
}

Motion ContinuousCollision::motion_of(const Bodies& bodies, std::uint32_t slot) const {
  const auto start = [this, slot](std::size_t i) { return start_[i][slot]; };
  return {{{start(0), start(1), start(2)}, {start(3), start(4), start(5), start(6)}},
          {bodies.position(slot), bodies.orientation(slot)}};
}

// Lists the fast bodies, and returns the longest way of a part of any other.
double ContinuousCollision::find_fast(const Input& input, Executor& executor) {
  const std::span<const Proxy> moving = input.index.moving();
  const auto count = static_cast<std::uint32_t>(moving.size());
  ways_.resize(count);
  parallel_ranges(executor, count, [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::uint32_t slot = moving[i].slot;
      ways_[i] =
          longest_way(input.shapes.parts(input.shape_of[slot]), motion_of(input.bodies, slot));
    }
  });
  double longest = 0;
  fast_.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    const Proxy& proxy = moving[i];
    const std::uint32_t shape = input.shape_of[proxy.slot];
    const double way = ways_[i];
    // What has left all limits meets nothing, and kinematic bodies stop at nothing.
    if (!(way < limits::kLengthMax)) continue;
    const bool pushed = input.bodies.inverse_mass(proxy.slot) != 0;
    if (pushed && way > input.shapes.shape(shape).inner_radius / 2) {
      fast_.push_back({proxy.slot, 1});
    } else {
      longest = std::max(longest, way);
    }
  }
  return longest;
}

// The fraction of its way at which a core of the body first meets another body; 1 if none does.
double ContinuousCollision::first_meeting(const Input& input, std::uint32_t slot,
                                          double others_way) const {
  const std::uint32_t shape = input.shape_of[slot];
  const double radius = kCoreShare * input.shapes.shape(shape).inner_radius;
  ORRERY_ASSERT(radius > 0);
  const Part core = ball_part(radius);
  const Motion motion = motion_of(input.bodies, slot);
  double first = 1;
  for (const Part& part : input.shapes.parts(shape)) {
    if (part.filter.sensor) continue;
    const Motion way = way_of(motion, part.position);
    const auto meet = [&](std::uint32_t other) {
      const Pair pair{std::min(slot, other), std::max(slot, other)};
      if (other == slot || std::binary_search(input.separate.begin(), input.separate.end(), pair)) {
        return;
      }
      const Motion other_way = motion_of(input.bodies, other);
      for (const Part& other_part : input.shapes.parts(input.shape_of[other])) {
        if (other_part.filter.sensor || !may_meet(part.filter, other_part.filter)) continue;
        const std::optional<Impact> impact =
            time_of_impact(input.shapes, core, way, other_part, other_way, kDistance);
        if (impact && closes(*impact, way, other_way)) first = std::min(first, impact->fraction);
      }
    };
    const Aabb box = around(way, radius + kDistance);
    const Aabb wider = enlarged(box, others_way);
    walk(
        input.index.fixed_tree(), [&](const Aabb& b) { return overlaps(b, box); }, meet);
    walk(
        input.index.moving_tree(), [&](const Aabb& b) { return overlaps(b, wider); }, meet);
    for (const UnboundedBody& body : input.index.unbounded()) {
      if (may_touch(body, box)) meet(body.slot);
    }
  }
  return first;
}

// Angular momentum, which is kept in body axes, stays as it is in the world.
void ContinuousCollision::put_back(Bodies& bodies, const Fast& fast) const {
  const Motion motion = motion_of(bodies, fast.slot);
  const Pose stop = pose_at(motion, fast.fraction);
  const Vec3 momentum = rotate(motion.to.orientation, bodies.angular_momentum(fast.slot));
  bodies.set_position(fast.slot, stop.position);
  bodies.set_orientation(fast.slot, stop.orientation);
  bodies.set_angular_momentum(fast.slot, rotate_back(stop.orientation, momentum));
}

void ContinuousCollision::finish(Bodies& bodies, const ShapeSet& shapes,
                                 std::span<const std::uint32_t> shape_of, const BodyIndex& index,
                                 std::span<const Pair> separate, Executor& executor) {
  ORRERY_ASSERT(bodies.slots() <= shape_of.size());
  ORRERY_ASSERT(std::is_sorted(separate.begin(), separate.end()));
  const Input input{bodies, shapes, shape_of, index, separate};
  const double others_way = find_fast(input, executor);
  parallel_ranges(executor, static_cast<std::uint32_t>(fast_.size()),
                  [&](std::uint32_t begin, std::uint32_t end) {
                    for (std::uint32_t i = begin; i < end; ++i) {
                      fast_[i].fraction = first_meeting(input, fast_[i].slot, others_way);
                    }
                  });
  for (const Fast& fast : fast_) {
    if (fast.fraction < 1) put_back(bodies, fast);
  }
}

}  // namespace orrery
