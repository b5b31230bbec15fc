// Sweeps fast bodies through sensors, and moving sensors over bodies.
#include "common/physics/sweep/sensor_crossings.h"

#include <algorithm>
#include <array>

#include "common/core/limits.h"
#include "common/physics/shape/tree_walk.h"

namespace orrery::physics {
namespace {

// Returns the distance at which two parts meet (a length).
double near_distance(const Part& a, const Part& b) {
  ORRERY_ASSERT(a.inner_radius > 0 || b.inner_radius > 0);
  return SensorCrossings::kNearShare * least_size(size_of(a), size_of(b)).inner_radius;
}

// Returns true if two parts touch, or are so near that time_of_impact() may take it for a touch.
bool touch(const ShapeSet& shapes, const Part& a, const Pose& pose_a, const Part& b,
           const Pose& pose_b) {
  std::array<Manifold, kSurfaceManifoldsMax> manifolds;
  return find_manifolds(shapes, a, pose_a, b, pose_b, 2 * near_distance(a, b), manifolds) > 0;
}

}  // namespace

// The search of one fast body: for the sensors that it crosses and, if it has a sensor, for the
// bodies that this passes over.
class SensorCrossings::Search {
 public:
  Search(const SensorCrossings& crossings, const Input& input, const Fast& fast,
         std::uint32_t boxes, std::vector<Crossing>& found)
      : all_(crossings),
        input_(input),
        slot_(fast.slot),
        box_(fast.box),
        motion_(input.swept.motion_of(input.shaped.bodies, slot_)),
        budget_(boxes),
        found_(found) {
    ORRERY_ASSERT(input.shaped.has_shape(slot_));
  }

  void run() {
    const Aabb wider = enlarged(box_, input_.slow_way);
    walk(
        input_.index.moving_tree(),
        [&](const Aabb& box) { return budget_.look() && overlaps(box, wider); },
        [&](std::uint32_t other) {
          if (!all_.fast_at(other)) meet(other);
        });
    walk(
        input_.index.fixed_tree(),
        [&](const Aabb& box) { return budget_.look() && overlaps(box, box_); },
        [&](std::uint32_t other) { meet(other); });
    for (const UnboundedBody& body : input_.index.unbounded()) meet(body.slot);
    const bool has_sensor = input_.shaped.shape(slot_).has_sensor;
    for (const std::uint32_t i : all_.sensors_) {
      const Fast& other = all_.fast_[i];
      if (!budget_.look()) return;
      if (!overlaps(other.box, box_) || (has_sensor && other.slot >= slot_)) continue;
      meet(other.slot);
    }
  }

 private:
  // Tests another body.
  void meet(std::uint32_t other) {
    const ShapedBodies& shaped = input_.shaped;
    ORRERY_ASSERT(shaped.has_shape(other));
    if (other == slot_ || !(shaped.shape(slot_).has_sensor || shaped.shape(other).has_sensor)) {
      return;
    }
    const Pair pair{std::min(slot_, other), std::max(slot_, other)};
    if (std::binary_search(input_.separate.begin(), input_.separate.end(), pair)) return;
    const Motion motion = input_.swept.motion_of(shaped.bodies, other);
    const std::span<const Part> mine = shaped.parts(slot_), its = shaped.parts(other);
    for (std::uint32_t j = 0; j < its.size(); ++j) {
      if (!budget_.look()) return;
      const Aabb box = swept_bounds(shaped.shapes, its[j], motion);
      if (!overlaps(box, box_)) continue;
      for (std::uint32_t i = 0; i < mine.size(); ++i) {
        if (!budget_.look()) return;
        if (!mine[i].filter.sensor && !its[j].filter.sensor) continue;
        if (!may_meet(mine[i].filter, its[j].filter)) continue;
        if (!overlaps(box, swept_bounds(shaped.shapes, mine[i], motion_))) continue;
        if (!crosses(mine[i], its[j], motion)) continue;
        found_.push_back(slot_ < other ? Crossing{slot_, other, i, j}
                                       : Crossing{other, slot_, j, i});
      }
    }
  }

  // Returns true if two parts meet and part. A test without budget finds nothing.
  bool crosses(const Part& mine, const Part& its, const Motion& motion) {
    const ShapeSet& shapes = input_.shaped.shapes;
    ORRERY_ASSERT(mine.filter.sensor || its.filter.sensor);
    if (touch(shapes, mine, motion_.from, its, motion.from)) return false;
    if (touch(shapes, mine, motion_.to, its, motion.to)) return false;
    return time_of_impact(shapes, mine, motion_, its, motion, near_distance(mine, its), &budget_)
        .has_value();
  }

  const SensorCrossings& all_;
  const Input& input_;
  std::uint32_t slot_;
  Aabb box_;
  Motion motion_;
  SweepBudget budget_;
  std::vector<Crossing>& found_;
};

SensorCrossings::SensorCrossings(std::uint32_t capacity) {
  ORRERY_ASSERT(capacity >= 1);
  ways_.reserve(capacity);
  fast_.reserve(capacity);
}

bool SensorCrossings::fast_at(std::uint32_t slot) const {
  ORRERY_ASSERT(fast_.size() <= ways_.size());
  const auto before = [](const Fast& fast, std::uint32_t s) { return fast.slot < s; };
  const auto at = std::lower_bound(fast_.begin(), fast_.end(), slot, before);
  return at != fast_.end() && at->slot == slot;
}

// Lists the fast bodies, and finds the bound on the motion of the others.
void SensorCrossings::find_fast(Input& input, Executor& executor) {
  const std::span<const Proxy> moving = input.index.moving();
  const ShapedBodies& shaped = input.shaped;
  ORRERY_ASSERT(shaped.bodies.slots() <= shaped.shape_of.size());
  ways_.resize(moving.size());
  parallel_ranges(executor, static_cast<std::uint32_t>(moving.size()), kBodiesLeast,
                  [&](std::uint32_t begin, std::uint32_t end) {
                    for (std::uint32_t i = begin; i < end; ++i) {
                      const std::uint32_t slot = moving[i].slot;
                      ways_[i] = points_way(shaped.shape(slot).reach,
                                            input.swept.motion_of(shaped.bodies, slot));
                    }
                  });
  fast_.clear();
  sensors_.clear();
  for (std::uint32_t i = 0; i < moving.size(); ++i) {
    const Shape& shape = shaped.shape(moving[i].slot);
    if (!(ways_[i] < limits::kLengthMax)) continue;
    if (ways_[i] <= 0.5 * shape.inner_radius) {
      input.slow_way = std::max(input.slow_way, ways_[i]);
      continue;
    }
    if (shape.has_sensor) sensors_.push_back(static_cast<std::uint32_t>(fast_.size()));
    fast_.push_back({moving[i].slot, {}});
  }
  parallel_ranges(executor, static_cast<std::uint32_t>(fast_.size()), kBodiesLeast,
                  [&](std::uint32_t begin, std::uint32_t end) {
                    for (Fast& fast : std::span(fast_).subspan(begin, end - begin)) {
                      fast.box = swept_bounds(shaped.shapes, shaped.parts(fast.slot),
                                              input.swept.motion_of(shaped.bodies, fast.slot));
                    }
                  });
}

void SensorCrossings::find(const ContinuousCollision& swept, const ShapedBodies& shaped,
                           const BodyIndex& index, std::span<const Pair> separate,
                           Executor& executor) {
  ORRERY_ASSERT(std::is_sorted(separate.begin(), separate.end()));
  crossings_.clear();
  if (!shaped.shapes.any_sensor()) return;
  Input input{swept, shaped, index, separate};
  find_fast(input, executor);
  const auto count = static_cast<std::uint32_t>(fast_.size());
  if (count == 0) return;
  const std::uint32_t boxes =
      std::max(limits::kSweepBoxTestsMax / count, limits::kSweepBoxTestsPerBodyMin);
  const Split split(executor.width(), count, 1);
  found_.resize(std::max<std::size_t>(found_.size(), split.parts));
  for (std::vector<Crossing>& found : found_) found.clear();
  parallel_parts(executor, split, [&](std::uint32_t n, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i) {
      Search(*this, input, fast_[i], boxes, found_[n]).run();
    }
  });
  for (const std::vector<Crossing>& found : found_) {
    crossings_.insert(crossings_.end(), found.begin(), found.end());
  }
  std::sort(crossings_.begin(), crossings_.end());
}

}  // namespace orrery::physics
