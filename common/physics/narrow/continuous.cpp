// Sweeps the cores of fast bodies.
#include "common/physics/narrow/continuous.h"

#include <algorithm>

#include "common/core/limits.h"
#include "common/physics/narrow/queries.h"
#include "common/physics/shape/tree_walk.h"

namespace orrery::physics {
namespace {

constexpr BodyField kPoseFields[7] = {BodyField::position_x,    BodyField::position_y,
                                      BodyField::position_z,    BodyField::orientation_x,
                                      BodyField::orientation_y, BodyField::orientation_z,
                                      BodyField::orientation_w};

// Distance (a length) at which a core stops in front of its obstacle: kDistance, but at most this
// share of the radius of the core.
constexpr double kDistance = 1e-3;
constexpr double kDistanceShare = 0.1;
double distance_of(const Part& core) { return std::min(kDistance, kDistanceShare * core.radius); }

static_assert(kCoreShare > 0 && kCoreShare < 1);
// Bisection steps in the search for how far a stopped body rotates.
constexpr int kTurnHalvings = 12;

// Returns the motion of the point `at` (body coordinates) of a body, as a straight line from its
// start to its end, without rotation.
Motion way_of(const Motion& body, const Vec3& at) {
  return {{transform(body.from, at), {}}, {transform(body.to, at), {}}};
}

// Returns the longest distance that the centre of a part moves. Rotation does not move a part's
// centre that is at the body's centre of mass.
double longest_way(std::span<const Part> parts, const Motion& body) {
  ORRERY_ASSERT(!parts.empty());
  double longest = 0;
  for (const Part& part : parts) {
    const Motion way = part.position == Vec3{} ? body : way_of(body, part.position);
    longest = std::max(longest, length(way.to.position - way.from.position));
  }
  return longest;
}

Aabb around(const Motion& way, double margin) {
  ORRERY_ASSERT(margin >= 0);
  return enlarged(
      {lesser(way.from.position, way.to.position), greater(way.from.position, way.to.position)},
      margin);
}

// Returns false if the impact needs no stop: the ball started inside the other part (the contact
// pushes it out), or started near it and moves away.
bool closes(const Impact& impact, const Motion& ball, const Motion& other) {
  if (impact.fraction > 0) return true;
  const Vec3 moved =
      (ball.to.position - ball.from.position) - (other.to.position - other.from.position);
  return dot(moved, impact.normal) > 0;
}

}  // namespace

struct ContinuousCollision::Input {
  ShapedBodies shaped;
  const BodyIndex& index;
  std::span<const Pair> separate;
  // Longest distance that the centre of a part moves, over all bodies that are not fast.
  double others_way = 0;
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

// Lists the fast bodies. Returns the longest distance that the centre of a part of any other body
// moves.
double ContinuousCollision::find_fast(const Input& input, Executor& executor) {
  const std::span<const Proxy> moving = input.index.moving();
  const auto count = static_cast<std::uint32_t>(moving.size());
  ways_.resize(count);
  parallel_ranges(executor, count, kBodiesLeast, [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::uint32_t slot = moving[i].slot;
      ways_[i] = longest_way(input.shaped.parts(slot), motion_of(input.shaped.bodies, slot));
    }
  });
  double longest = 0;
  fast_.clear();
  movers_.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    const Proxy& proxy = moving[i];
    const double way = ways_[i];
    // A body that moves farther than kLengthMax is ignored. Nothing stops a kinematic body.
    if (!(way < limits::kLengthMax)) continue;
    const bool pushed = input.shaped.bodies.inverse_mass(proxy.slot) != 0;
    if (!pushed) movers_.push_back(proxy.slot);
    if (pushed && way > input.shaped.shape(proxy.slot).inner_radius / 2) {
      fast_.push_back({proxy.slot, way, {}});
    } else {
      longest = std::max(longest, way);
    }
  }
  return longest;
}

// The search for the first obstacle of the cores of one fast body.
class ContinuousCollision::Sweep {
 public:
  Sweep(const ContinuousCollision& swept, const Input& input, std::uint32_t slot,
        std::uint32_t boxes)
      : swept_(swept),
        input_(input),
        slot_(slot),
        parts_(input.shaped.parts(slot)),
        motion_(swept.motion_of(input.shaped.bodies, slot)),
        core_(ball_part(kCoreShare * input.shaped.shape(slot).inner_radius)),
        distance_(distance_of(core_)),
        budget_(boxes) {
    ORRERY_ASSERT(core_.radius > 0);
    double farthest = 0;
    for (const Part& part : parts_) farthest = std::max(farthest, length(part.position));
    reach_ = farthest + core_.radius + distance_;
  }

  // Returns the fraction of the first impact, or 1 if there is none.
  double run() {
    const Aabb all = around(motion_, reach_);
    const Aabb wider = enlarged(all, input_.others_way);
    walk(
        input_.index.moving_tree(),
        [&](const Aabb& box) { return budget_.look() && overlaps(box, wider); },
        [&](std::uint32_t other) { meet(other, &input_.index.box_of_moving(other)); });
    walk(
        input_.index.fixed_tree(), [&](const Aabb& box) { return near(box); },
        [&](std::uint32_t other) { meet(other, nullptr); });
    for (const UnboundedBody& body : input_.index.unbounded()) {
      if (budget_.look() && may_touch(body, all)) meet(body.slot, nullptr);
    }
    return first_;
  }
  // Returns true if the search exceeded its budget: the result of run() is then undefined.
  bool exceeded() const { return budget_.exceeded(); }

 private:
  // Returns false if no core reaches the box before the first impact found so far, or if the budget
  // is exceeded.
  bool near(const Aabb& box) {
    const Vec3& from = motion_.from.position;
    return budget_.look() &&
           meets(enlarged(box, reach_ + distance_), from, motion_.to.position - from, first_);
  }

  // Tests another body. `start` is its box at the start of the tick, or null if that body is fixed.
  void meet(std::uint32_t other, const Aabb* start) {
    const Pair pair{std::min(slot_, other), std::max(slot_, other)};
    const std::span<const Pair> separate = input_.separate;
    if (other == slot_ || std::binary_search(separate.begin(), separate.end(), pair)) return;
    const Motion motion = swept_.motion_of(input_.shaped.bodies, other);
    for (const Part& part : input_.shaped.parts(other)) {
      if (part.filter.sensor) continue;
      const Aabb box = swept_bounds(input_.shaped.shapes, part, motion);
      if (near(box)) meet_part(part, motion, enlarged(box, core_.radius + 2 * distance_), start);
    }
  }

  void meet_part(const Part& other, const Motion& other_motion, const Aabb& box,
                 const Aabb* start) {
    const double far = core_.radius + distance_ + input_.others_way;
    for (const Part& part : parts_) {
      if (part.filter.sensor || !may_meet(part.filter, other.filter)) continue;
      if (!budget_.look()) return;
      const Motion way = way_of(motion_, part.position);
      const Vec3& from = way.from.position;
      if (!meets(box, from, way.to.position - from, first_)) continue;
      if (start && !overlaps(*start, around(way, far))) continue;
      const std::optional<Impact> impact = time_of_impact(input_.shaped.shapes, core_, way, other,
                                                          other_motion, distance_, &budget_);
      if (impact && closes(*impact, way, other_motion)) first_ = std::min(first_, impact->fraction);
    }
  }

  const ContinuousCollision& swept_;
  const Input& input_;
  std::uint32_t slot_;
  std::span<const Part> parts_;
  Motion motion_;
  Part core_;
  double distance_;
  double reach_ = 0;  // distance from the body's centre to the farthest point a core may meet
  double first_ = 1;
  SweepBudget budget_;
};

// Returns how far a body rotates if it stops at `fraction`, as a fraction of its whole rotation.
// The rotation continues until a core would be `most` away from its place at `fraction` of the
// motion. A body with one part about its centre therefore completes its rotation. Without this
// extra rotation a bar could stay stuck with its middle at a wall that pushes one end every tick.
double turn_of(std::span<const Part> parts, const Motion& body, double fraction, double most) {
  ORRERY_ASSERT(fraction >= 0 && fraction <= 1);
  ORRERY_ASSERT(most >= 0);
  const auto strays = [&](double turn) {
    const Quat turned = pose_at(body, turn).orientation;
    return std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
      const Vec3 swept = (1 - fraction) * rotate(body.from.orientation, part.position) +
                         fraction * rotate(body.to.orientation, part.position);
      return length(rotate(turned, part.position) - swept) > most;
    });
  };
  if (!strays(1)) return 1;
  double near = fraction, far = 1;
  for (int i = 0; i < kTurnHalvings; ++i) {
    const double middle = 0.5 * (near + far);
    (strays(middle) ? far : near) = middle;
  }
  return near;
}

// Returns where a body stops, at the latest at the end of its motion.
ContinuousCollision::Stop ContinuousCollision::stop_of(const Input& input, const Fast& fast) const {
  ORRERY_ASSERT(!fast_.empty());
  const auto count = static_cast<std::uint32_t>(fast_.size());
  const std::uint32_t boxes =
      std::max(limits::kSweepBoxTestsMax / count, limits::kSweepBoxTestsPerBodyMin);
  const double slow_way = input.shaped.shape(fast.slot).inner_radius / 2;
  Sweep sweep(*this, input, fast.slot, boxes);
  const double met = sweep.run();
  if (sweep.exceeded()) {
    ORRERY_ASSERT(slow_way < fast.way);
    return {slow_way / fast.way, slow_way / fast.way};
  }
  if (met == 1) return {};
  const Motion motion = motion_of(input.shaped.bodies, fast.slot);
  return {met, turn_of(input.shaped.parts(fast.slot), motion, met, slow_way)};
}

// Moves a body back to its stop. Its angular momentum stays constant in world axes, so the
// components in body axes change.
void ContinuousCollision::move_back(Bodies& bodies, const Fast& fast, const Vec3& fall) const {
  ORRERY_ASSERT(fast.stop.fraction >= 0 && fast.stop.fraction < 1);
  const Motion motion = motion_of(bodies, fast.slot);
  const Pose stop{pose_at(motion, fast.stop.fraction).position,
                  pose_at(motion, fast.stop.turn).orientation};
  const Vec3 momentum = rotate(motion.to.orientation, bodies.angular_momentum(fast.slot));
  const double undone = (1 - fast.stop.fraction) * bodies.at(BodyField::gravity_scale, fast.slot);
  const Vec3 velocity = bodies.velocity(fast.slot) - undone * fall;
  bodies.set_velocity(fast.slot, clamped(velocity, limits::kSpeedMax));
  bodies.set_position(fast.slot, stop.position);
  bodies.set_orientation(fast.slot, stop.orientation);
  bodies.set_angular_momentum(fast.slot, rotate_back(stop.orientation, momentum));
}

// Searches for the first time that a kinematic body meets a core of a body that can be pushed.
void ContinuousCollision::carry_part(const Input& input, std::uint32_t mover, std::uint32_t slot,
                                     SweepBudget& budget) {
  const ShapedBodies& shaped = input.shaped;
  ORRERY_ASSERT(mover != slot);
  ORRERY_ASSERT(shaped.bodies.inverse_mass(mover) == 0 && shaped.bodies.inverse_mass(slot) > 0);
  const Motion driven = motion_of(shaped.bodies, mover), body = motion_of(shaped.bodies, slot);
  const Part core = ball_part(kCoreShare * shaped.shape(slot).inner_radius);
  const double distance = distance_of(core);
  std::optional<Carried> first;
  for (const Part& other : shaped.parts(mover)) {
    for (const Part& part : shaped.parts(slot)) {
      if (part.filter.sensor || other.filter.sensor || !may_meet(part.filter, other.filter)) {
        continue;
      }
      const Motion way = way_of(body, part.position);
      const Aabb box = enlarged(swept_bounds(shaped.shapes, other, driven), distance);
      if (!budget.look() || !overlaps(box, around(way, core.radius))) continue;
      const std::optional<Impact> impact =
          time_of_impact(shaped.shapes, core, way, other, driven, distance, &budget);
      if (!impact || impact->fraction == 0 || (first && first->fraction <= impact->fraction)) {
        continue;
      }
      const Pose there = pose_at(driven, impact->fraction);
      const Vec3 met = pose_at(way, impact->fraction).position - there.position;
      const Vec3 end = transform(driven.to, rotate_back(there.orientation, met));
      first = {slot, impact->fraction, end - way.to.position};
    }
  }
  if (first) carried_.push_back(*first);
}

// Lists the bodies that a kinematic body passes over. A short way cannot pass over a core.
void ContinuousCollision::find_carried(const Input& input, std::uint32_t mover,
                                       SweepBudget& budget) {
  const ShapedBodies& shaped = input.shaped;
  ORRERY_ASSERT(shaped.has_shape(mover));
  const Motion motion = motion_of(shaped.bodies, mover);
  const Quat turn = conjugate(motion.from.orientation) * motion.to.orientation;
  const double angle = 4 * length(Vec3{turn.x, turn.y, turn.z});  // at least the angle
  const double way =
      length(motion.to.position - motion.from.position) + angle * shaped.shape(mover).reach;
  if (way == 0) return;
  double farthest = input.others_way;
  for (const Fast& fast : fast_) farthest = std::max(farthest, fast.way);
  Aabb box = swept_bounds(shaped.shapes, shaped.parts(mover)[0], motion);
  for (const Part& part : shaped.parts(mover)) {
    box = united(box, swept_bounds(shaped.shapes, part, motion));
  }
  box = enlarged(box, farthest);
  walk(
      input.index.moving_tree(),
      [&](const Aabb& other) { return budget.look() && overlaps(other, box); },
      [&](std::uint32_t slot) {
        if (shaped.bodies.inverse_mass(slot) == 0) return;
        const Pair pair{std::min(slot, mover), std::max(slot, mover)};
        if (std::binary_search(input.separate.begin(), input.separate.end(), pair)) return;
        if (way > shaped.shape(slot).inner_radius / 2) carry_part(input, mover, slot, budget);
      });
}

// Moves the bodies that kinematic bodies passed over, each by the first of its impacts.
void ContinuousCollision::carry(Bodies& bodies, const Input& input) {
  carried_.clear();
  if (movers_.empty()) return;
  const auto count = static_cast<std::uint32_t>(movers_.size());
  const std::uint32_t boxes =
      std::max(limits::kSweepBoxTestsMax / count, limits::kSweepBoxTestsPerBodyMin);
  for (const std::uint32_t mover : movers_) {
    SweepBudget budget(boxes);
    find_carried(input, mover, budget);
  }
  std::stable_sort(carried_.begin(), carried_.end(), [](const Carried& a, const Carried& b) {
    return a.slot < b.slot || (a.slot == b.slot && a.fraction < b.fraction);
  });
  for (std::size_t i = 0; i < carried_.size(); ++i) {
    const Carried& c = carried_[i];
    if (i > 0 && carried_[i - 1].slot == c.slot) continue;
    bodies.set_position(c.slot, bodies.position(c.slot) + c.shift);
  }
}

void ContinuousCollision::finish(Bodies& bodies, const ShapeSet& shapes,
                                 std::span<const std::uint32_t> shape_of, const BodyIndex& index,
                                 std::span<const Pair> separate, const Vec3& fall,
                                 Executor& executor) {
  ORRERY_ASSERT(bodies.slots() <= shape_of.size());
  ORRERY_ASSERT(std::is_sorted(separate.begin(), separate.end()));
  Input input{{bodies, shapes, shape_of}, index, separate};
  input.others_way = find_fast(input, executor);
  parallel_ranges(executor, static_cast<std::uint32_t>(fast_.size()), 1,
                  [&](std::uint32_t begin, std::uint32_t end) {
                    for (std::uint32_t i = begin; i < end; ++i) {
                      fast_[i].stop = stop_of(input, fast_[i]);
                    }
                  });
  for (const Fast& fast : fast_) {
    if (fast.stop.fraction < 1) move_back(bodies, fast, fall);
  }
  carry(bodies, input);
}

}  // namespace orrery::physics
