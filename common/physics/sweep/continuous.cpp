// Sweeps the cores of fast bodies.
#include "common/physics/sweep/continuous.h"

#include <algorithm>
#include <cmath>

#include "common/core/limits.h"
#include "common/physics/narrow/queries.h"
#include "common/physics/shape/tree_walk.h"
#include "common/physics/sweep/stop_energy.h"

namespace orrery::physics {
namespace {

constexpr BodyField kPoseFields[7] = {BodyField::position_x,    BodyField::position_y,
                                      BodyField::position_z,    BodyField::orientation_x,
                                      BodyField::orientation_y, BodyField::orientation_z,
                                      BodyField::orientation_w};

// Distance at which a core stops, as a share of its radius (core_distance()).
constexpr double kDistanceShare = 0.003;

static_assert(kCoreShare > 0 && kCoreShare < 1);
// Number of obstacles along which a body may slide in a tick. It stops at the next one.
constexpr int kSlides = 3;
// Slope at which a sliding body moves away from its obstacle, so that rounding does not make the
// next sweep meet the same obstacle.
constexpr double kAway = 1e-9;
// A body is slim if a moment of inertia is smaller than the others by more than this factor.
constexpr double kSlimInertia = 4;
// The end of a slim body that moves by more inner radii in a tick is fast.
constexpr double kSlimWay = 4;
// Square of an angular momentum that is too small to have a direction.
constexpr double kMomentumSquaredMin = 1e-200;
static_assert(kSlides >= 1 && kAway > 0 && kAway < kDistanceShare);

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

// Returns the distance that the end of a slim body moves by rotation: of a rod, not of a wheel. It
// is 0 if the body is not slim, or if the end moves by less than kSlimWay inner radii: contacts
// then find the bodies in its way.
double slim_way(const Bodies& bodies, std::uint32_t slot, const Shape& shape, const Motion& body) {
  ORRERY_ASSERT(shape.reach >= shape.inner_radius);
  const Vec3 inverse = bodies.inverse_inertia(slot);
  const double most = std::max({inverse.x, inverse.y, inverse.z});
  const double least = std::min({inverse.x, inverse.y, inverse.z});
  const double next = ((inverse.x + inverse.y) + inverse.z) - (most + least);
  if (!(least > 0 && most > kSlimInertia * next)) return 0;
  const Vec3 axis{inverse.x == most ? 1.0 : 0.0, inverse.y == most ? 1.0 : 0.0,
                  inverse.z == most ? 1.0 : 0.0};
  const Vec3 turned = rotate(body.to.orientation, axis) - rotate(body.from.orientation, axis);
  const double way = shape.reach * length(turned);
  return way > kSlimWay * shape.inner_radius ? way : 0;
}

// Returns the unit vector along v, or 0 if v is 0.
Vec3 direction_of(const Vec3& v) {
  const double size = length(v);
  return size == 0 ? Vec3{} : (1 / size) * v;
}

}  // namespace

double core_distance(const Shape& shape) {
  ORRERY_ASSERT(shape.movable && shape.inner_radius > 0);
  return kDistanceShare * core_radius(shape);
}

ContinuousCollision::ContinuousCollision(std::uint32_t capacity) : fast_tree_(capacity) {
  ORRERY_ASSERT(capacity >= 1);
  for (std::vector<double>& field : start_) field.resize(capacity);
  fast_.reserve(capacity);
  fast_boxes_.reserve(capacity);
  ways_.reserve(capacity);
  place_.assign(capacity, kNone);
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

// Lists the fast bodies, and finds the bounds on the motion of the others.
void ContinuousCollision::find_fast(Input& input, Executor& executor) {
  const std::span<const Proxy> moving = input.index.moving();
  ORRERY_ASSERT(moving.size() <= start_[0].size());
  const auto count = static_cast<std::uint32_t>(moving.size());
  ways_.resize(count);
  parallel_ranges(executor, count, kBodiesLeast, [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::uint32_t slot = moving[i].slot;
      const Motion motion = motion_of(input.shaped.bodies, slot);
      ways_[i] = std::max(longest_way(input.shaped.parts(slot), motion),
                          slim_way(input.shaped.bodies, slot, input.shaped.shape(slot), motion));
    }
  });
  fast_.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    const Proxy& proxy = moving[i];
    const double way = ways_[i];
    // A body that moves farther than kLengthMax is ignored. Nothing stops a kinematic body.
    if (!(way < limits::kLengthMax)) continue;
    const bool pushed = input.shaped.bodies.inverse_mass(proxy.slot) != 0;
    const double inner_radius = input.shaped.shape(proxy.slot).inner_radius;
    if (pushed) input.smallest = std::min(input.smallest, inner_radius);
    if (pushed && way > inner_radius / 2) {
      fast_.push_back({proxy.slot, way, {}});
    } else {
      input.others_way = std::max(input.others_way, way);
      if (pushed) input.slow_way = std::max(input.slow_way, way);
    }
  }
}

// Builds the tree of the boxes around the motion of fast bodies.
void ContinuousCollision::index_fast(const Input& input, Executor& executor) {
  ORRERY_ASSERT(fast_.size() <= input.index.moving().size());
  const auto count = static_cast<std::uint32_t>(fast_.size());
  fast_boxes_.resize(count);
  parallel_ranges(executor, count, kBodiesLeast, [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::uint32_t slot = fast_[i].slot;
      const Motion motion = motion_of(input.shaped.bodies, slot);
      fast_boxes_[i].box = swept_bounds(input.shaped.shapes, input.shaped.parts(slot), motion);
      fast_boxes_[i].slot = slot;
    }
  });
  fast_tree_.build(fast_boxes_, executor);
}

bool ContinuousCollision::is_fast(std::uint32_t slot) const {
  ORRERY_ASSERT(slot < start_[0].size());
  const auto before = [](const Fast& fast, std::uint32_t s) { return fast.slot < s; };
  const auto at = std::lower_bound(fast_.begin(), fast_.end(), slot, before);
  return at != fast_.end() && at->slot == slot;
}

// The search for the first obstacle of the cores of one fast body.
class ContinuousCollision::Sweep {
 public:
  Sweep(const ContinuousCollision& swept, const Input& input, std::uint32_t slot,
        const Motion& motion, std::uint32_t boxes)
      : swept_(swept),
        input_(input),
        slot_(slot),
        cores_(input.shaped.cores(slot)),
        motion_(motion),
        radius_(core_radius(input.shaped.shape(slot))),
        distance_(core_distance(input.shaped.shape(slot))),
        budget_(boxes) {
    ORRERY_ASSERT(distance_ > 0);
    for (const Part& core : cores_) reach_ = std::max(reach_, core.reach + distance_);
  }

  // Returns the fraction of the first impact, or 1 if there is none.
  double run() {
    const Aabb all = around(motion_, reach_);
    const Aabb wider = enlarged(all, input_.others_way);
    walk(
        input_.index.moving_tree(),
        [&](const Aabb& box) { return budget_.look() && overlaps(box, wider); },
        [&](std::uint32_t other) {
          if (!swept_.is_fast(other)) meet(other, &input_.index.box_of_moving(other));
        });
    walk(
        swept_.fast_tree_, [&](const Aabb& box) { return budget_.look() && overlaps(box, all); },
        [&](std::uint32_t other) { meet(other, nullptr); });
    return run_fixed();
  }
  // As run(), with fixed bodies only.
  double run_fixed() {
    const Aabb all = around(motion_, reach_);
    walk(
        input_.index.fixed_tree(), [&](const Aabb& box) { return near(box); },
        [&](std::uint32_t other) { meet(other, nullptr); });
    for (const UnboundedBody& body : input_.index.unbounded()) {
      if (budget_.look() && may_touch(body, all)) meet(body.slot, nullptr);
    }
    return first_;
  }
  // Returns the motion without its part that leads deeper into the obstacle of the first impact.
  Motion slide() const {
    const double tiny = kAway * length(motion_.to.position - motion_.from.position);
    const double away = first_ > 0 ? 0.5 * distance_ : tiny;
    Motion along = motion_;
    along.to.position -= ((1 - first_) * std::max(0.0, closing_) + away) * normal_;
    return along;
  }
  // Return the relative motion into the obstacle of the first impact, and the normal of the impact.
  double closing() const { return closing_; }
  const Vec3& normal() const { return normal_; }
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

  // Tests another body. `start` is the box at the start of the tick of a body that moves but is not
  // fast, else null.
  void meet(std::uint32_t other, const Aabb* start) {
    const Pair pair{std::min(slot_, other), std::max(slot_, other)};
    const std::span<const Pair> separate = input_.separate;
    if (other == slot_ || std::binary_search(separate.begin(), separate.end(), pair)) return;
    const Motion motion = swept_.motion_of(input_.shaped.bodies, other);
    for (const Part& part : input_.shaped.parts(other)) {
      if (part.filter.sensor) continue;
      const Aabb box = swept_bounds(input_.shaped.shapes, part, motion);
      if (near(box)) meet_part(part, motion, enlarged(box, 2 * distance_), start);
    }
  }

  void meet_part(const Part& other, const Motion& other_motion, const Aabb& box,
                 const Aabb* start) {
    const double far = distance_ + input_.others_way;
    for (const Part& core : cores_) {
      if (core.filter.sensor || !may_meet(core.filter, other.filter)) continue;
      if (!budget_.look()) return;
      const Aabb swept = swept_bounds(input_.shaped.shapes, core, motion_);
      if (!overlaps(swept, box)) continue;
      if (start && !overlaps(*start, enlarged(swept, far))) continue;
      const auto cast = [&](const Part& part, const Motion& motion) {
        return time_of_impact(input_.shaped.shapes, part, motion, other, other_motion, distance_,
                              &budget_, AtStart::closing);
      };
      std::optional<Impact> impact = cast(core, motion_);
      // A core that overlaps the obstacle at the start has no impact. The ball in it may have one.
      if (!impact && core.kind != ShapeKind::sphere) {
        const Motion way = way_of(motion_, core.position);
        const Vec3& from = way.from.position;
        if (meets(enlarged(box, radius_), from, way.to.position - from, first_)) {
          impact = cast(ball_part(radius_), way);
        }
      }
      if (!impact || impact->fraction >= first_) continue;
      first_ = impact->fraction;
      normal_ = impact->normal;
      const Vec3 moved = motion_.to.position - motion_.from.position;
      const Vec3 other_moved = other_motion.to.position - other_motion.from.position;
      closing_ = dot(moved - other_moved, normal_);
    }
  }

  const ContinuousCollision& swept_;
  const Input& input_;
  std::uint32_t slot_;
  std::span<const Part> cores_;
  Motion motion_;
  double radius_;  // of the largest ball in each core
  double distance_;
  double reach_ = 0;  // distance from the body's position to the farthest point a core may meet
  double first_ = 1;
  Vec3 normal_;         // of the first impact
  double closing_ = 0;  // relative motion along normal_
  SweepBudget budget_;
};

// Returns where a body stops, at the latest at the end of its motion. A body slides if it is in
// touch with its obstacle at the start, or if its whole way into the obstacle is short: from the
// impact on, it moves without the part of its motion that leads into the obstacle.
ContinuousCollision::Stop ContinuousCollision::stop_of(const Input& input, const Fast& fast) const {
  ORRERY_ASSERT(!fast_.empty());
  const auto count = static_cast<std::uint32_t>(fast_.size());
  const std::uint32_t boxes =
      std::max(limits::kSweepBoxTestsMax / count, limits::kSweepBoxTestsPerBodyMin);
  const double slow_way = input.shaped.shape(fast.slot).inner_radius / 2;
  const Motion whole = motion_of(input.shaped.bodies, fast.slot);
  Motion motion = whole;
  Stop stop;
  for (int slides = 0;; ++slides) {
    Sweep sweep(*this, input, fast.slot, motion, boxes);
    stop.fraction = sweep.run();
    if (sweep.exceeded()) {
      ORRERY_ASSERT(slow_way < fast.way);
      return {slow_way / fast.way, {}, {}};
    }
    const bool glances = stop.fraction == 0 || (sweep.closing() > 0 && sweep.closing() <= slow_way);
    if (stop.fraction == 1 || !glances || slides == kSlides) break;
    if (stop.fraction > 0) stop.undone += (1 - stop.fraction) * sweep.normal();
    motion = sweep.slide();
  }
  stop.aside = motion.to.position - whole.to.position;
  return stop;
}

// Returns which share of a shift of a body is free of fixed bodies.
double ContinuousCollision::free_share(const Input& input, std::uint32_t slot,
                                       const Vec3& shift) const {
  ORRERY_ASSERT(input.shaped.has_shape(slot));
  const Pose pose = input.shaped.pose(slot);
  const Motion motion{pose, {pose.position + shift, pose.orientation}};
  Sweep sweep(*this, input, slot, motion, limits::kSweepBoxTestsPerBodyMin);
  const double share = sweep.run_fixed();
  return sweep.exceeded() ? 0 : share;
}

// Returns the orientation at a stop: `there`, turned so that an angular momentum (world axes) has
// the same components in body axes as at the end of the motion. Returns `there` if that would turn
// the body by more than `most` (rad): then the interpolation says little about the motion.
Quat kept_orientation(const Quat& there, const Quat& end, const Vec3& momentum, double most) {
  ORRERY_ASSERT(most >= 0);
  const double squared = dot(momentum, momentum);
  if (!(squared > kMomentumSquaredMin)) return there;
  const Vec3 turned = rotate(there, rotate_back(end, momentum));
  const Vec3 axis = (1 / squared) * cross(turned, momentum);
  const double cosine = dot(turned, momentum) / squared;
  if (!(cosine > 0 && length(axis) <= most)) return there;
  return normalized(normalized({axis.x, axis.y, axis.z, 1 + cosine}) * there);
}

// Moves a body back to its stop. Angular momentum in body axes, and with it the energy, stays as it
// is at the end of the motion. Converted from world axes, the angular momentum of a slim body would
// get a part along its long axis, which takes much energy.
void ContinuousCollision::move_back(const Input& input, Bodies& bodies, const Fast& fast,
                                    const Substep& step) const {
  ORRERY_ASSERT(fast.stop.fraction >= 0 && fast.stop.fraction <= 1);
  const Shape& shape = input.shaped.shape(fast.slot);
  const double most = 0.5 * shape.inner_radius / shape.reach;
  const Motion whole = motion_of(bodies, fast.slot);
  Motion motion = whole;
  motion.to.position += fast.stop.aside;
  const Pose stop = pose_at(motion, fast.stop.fraction);
  const Quat& end = motion.to.orientation;
  const Vec3 momentum = rotate(end, bodies.angular_momentum(fast.slot));
  const Vec3 gravity = bodies.at(BodyField::gravity_scale, fast.slot) * step.gravity;
  const Vec3 fall = step.tick * gravity;
  const Vec3 undone = (1 - fast.stop.fraction) * fall +
                      dot(fall, fast.stop.undone) * direction_of(fast.stop.undone);
  const Vec3 v = bodies.velocity(fast.slot), way = whole.to.position - stop.position;
  const double share = share_undone(v, undone, gravity, step.h, way);
  const Vec3 after = clamped(v - share * undone, limits::kSpeedMax);
  const Vec3 lag = 0.5 * step.h * gravity;
  slow_spin(bodies, fast.slot, dot(gravity, way) + dot(after - v, 0.5 * (after + v) + lag));
  bodies.set_velocity(fast.slot, after);
  bodies.set_position(fast.slot, stop.position);
  bodies.set_orientation(fast.slot, kept_orientation(stop.orientation, end, momentum, most));
}

void ContinuousCollision::finish(Bodies& bodies, const ShapeSet& shapes,
                                 std::span<const std::uint32_t> shape_of, const BodyIndex& index,
                                 std::span<const Pair> separate, const Substep& step,
                                 Executor& executor) {
  ORRERY_ASSERT(bodies.slots() <= shape_of.size());
  ORRERY_ASSERT(std::is_sorted(separate.begin(), separate.end()));
  Input input{{bodies, shapes, shape_of}, index, separate};
  find_fast(input, executor);
  index_fast(input, executor);
  parallel_ranges(executor, static_cast<std::uint32_t>(fast_.size()), 1,
                  [&](std::uint32_t begin, std::uint32_t end) {
                    for (std::uint32_t i = begin; i < end; ++i) {
                      fast_[i].stop = stop_of(input, fast_[i]);
                    }
                  });
  for (const Fast& fast : fast_) {
    if (fast.stop.fraction < 1 || fast.stop.aside != Vec3{}) move_back(input, bodies, fast, step);
  }
  carry(bodies, input, executor);
}

}  // namespace orrery::physics
