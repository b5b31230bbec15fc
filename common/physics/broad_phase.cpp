// Owns the making of boxes from poses, and the order of the pairs.
#include "common/physics/broad_phase.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "common/core/limits.h"

namespace orrery {
namespace {

Pose pose_of(const Bodies& bodies, std::uint32_t slot) {
  return {bodies.position(slot), bodies.orientation(slot)};
}

bool is_bounded(const Aabb& box) {
  const auto finite = [](const Vec3& v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
  };
  return finite(box.lower) && finite(box.upper);
}

// A body that has flown beyond all numbers is at the edge of them.
Aabb finite_box(const Aabb& box) {
  constexpr double kMost = std::numeric_limits<double>::max();
  const Vec3 most{kMost, kMost, kMost};
  return {lesser(greater(box.lower, -most), most), lesser(greater(box.upper, -most), most)};
}

Proxy make_proxy(const Bodies& bodies, std::uint32_t slot, const ShapeSet& shapes,
                 std::uint32_t shape, double margin) {
  const std::span<const Part> parts = shapes.parts(shape);
  ORRERY_ASSERT(!parts.empty());
  const Pose pose = pose_of(bodies, slot);
  Proxy proxy;
  proxy.slot = slot;
  proxy.box = bounds(shapes, parts[0], pose);
  for (const Part& part : parts.subspan(1)) {
    proxy.box = united(proxy.box, bounds(shapes, part, pose));
  }
  proxy.box = enlarged(proxy.box, margin / 2);
  if (parts.size() == 1 && parts[0].kind == ShapeKind::sphere) {
    proxy.radius = parts[0].radius + margin / 2;
  }
  return proxy;
}

}  // namespace

BroadPhase::BroadPhase(std::uint32_t capacity)
    : moving_tree_(capacity), fixed_tree_(capacity), next_of_slot_(capacity + 1) {
  ORRERY_ASSERT(capacity >= 1);
  ORRERY_ASSERT(capacity <= limits::kBodiesMax);
  moving_slots_.reserve(capacity);
  moving_.reserve(capacity);
}

void BroadPhase::update(const Bodies& bodies, const ShapeSet& shapes,
                        std::span<const std::uint32_t> shape_of, double margin,
                        Executor& executor) {
  ORRERY_ASSERT(margin >= 0);
  ORRERY_ASSERT(bodies.slots() <= shape_of.size());
  if (!bodies_known_) list_bodies(bodies, shapes, shape_of, margin, executor);
  moving_.resize(moving_slots_.size());
  parallel_ranges(executor, static_cast<std::uint32_t>(moving_.size()),
                  [&](std::uint32_t begin, std::uint32_t end) {
                    for (std::uint32_t i = begin; i < end; ++i) {
                      const std::uint32_t slot = moving_slots_[i];
                      moving_[i] = make_proxy(bodies, slot, shapes, shape_of[slot], margin);
                      moving_[i].box = finite_box(moving_[i].box);
                    }
                  });
  moving_tree_.build(moving_, executor);
  find_pairs(executor);
  sort_pairs();
}

void BroadPhase::list_bodies(const Bodies& bodies, const ShapeSet& shapes,
                             std::span<const std::uint32_t> shape_of, double margin,
                             Executor& executor) {
  ORRERY_ASSERT(bodies.slots() < next_of_slot_.size());
  moving_slots_.clear();
  fixed_.clear();
  unbounded_.clear();
  for (std::uint32_t slot = 0; slot < bodies.slots(); ++slot) {
    const std::uint32_t shape = shape_of[slot];
    if (!bodies.alive(slot) || shape == kNoShape) continue;
    if (bodies.inverse_mass(slot) != 0) {
      ORRERY_ASSERT(shapes.shape(shape).movable);
      moving_slots_.push_back(slot);
      continue;
    }
    const Proxy proxy = make_proxy(bodies, slot, shapes, shape, margin);
    if (is_bounded(proxy.box)) {
      fixed_.push_back(proxy);
      continue;
    }
    const std::span<const Part> parts = shapes.parts(shape);
    const Pose pose = pose_of(bodies, slot);
    const Vec3 normal = rotate(pose.orientation * parts[0].orientation, Vec3{0, 1, 0});
    const Vec3 at = pose.position + rotate(pose.orientation, parts[0].position);
    const bool half_space = parts.size() == 1 && parts[0].kind == ShapeKind::plane;
    unbounded_.push_back({slot, half_space, normal, dot(normal, at) + margin / 2});
  }
  fixed_tree_.build(fixed_, executor);
  ORRERY_ASSERT(moving_slots_.size() + fixed_.size() + unbounded_.size() <= bodies.slots());
  bodies_known_ = true;
}

// Splits the leaves of the moving bodies into one range a thread; what they find is joined in order
// of the ranges. Beyond the limit, which no two ranges reach at the same place twice, one range
// alone finds out where it is.
template <class Search>
void BroadPhase::search(Executor& executor, Search search_leaves) {
  const auto leaves = static_cast<std::uint32_t>(moving_tree_.leaves().size());
  const std::uint32_t parts = std::min(executor.width(), leaves);
  ORRERY_ASSERT(leaves >= 1);
  if (finders_.size() < parts) finders_.resize(parts);
  std::atomic<std::uint64_t> found{0};
  for (PairFinder& finder : finders_) finder.clear();
  parallel_ranges(executor, parts, [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i) {
      const auto bound = [&](std::uint32_t part) {
        return static_cast<std::uint32_t>(std::uint64_t{leaves} * part / parts);
      };
      search_leaves(bound(i), bound(i + 1), finders_[i], found);
    }
  });
  if (found > limits::kPairsMax) {
    complete_ = false;
    found = 0;
    for (PairFinder& finder : finders_) finder.clear();
    search_leaves(0, leaves, finders_[0], found);
    ORRERY_ASSERT(found > limits::kPairsMax);
    finders_[0].truncate(limits::kPairsMax);
  }
  for (const PairFinder& finder : finders_) {
    unsorted_.insert(unsorted_.end(), finder.pairs().begin(), finder.pairs().end());
  }
}

void BroadPhase::find_pairs(Executor& executor) {
  ORRERY_ASSERT(moving_.size() == moving_slots_.size());
  complete_ = true;
  unsorted_.clear();
  if (moving_.empty()) return;
  search(executor, [this](std::uint32_t begin, std::uint32_t end, PairFinder& finder, auto& found) {
    find_pairs_within(moving_tree_, begin, end, finder, found, limits::kPairsMax);
  });
  if (!fixed_tree_.empty()) {
    search(executor, [this](std::uint32_t begin, std::uint32_t end, PairFinder& finder,
                            auto& found) {
      find_pairs_between(moving_tree_, begin, end, fixed_tree_, finder, found, limits::kPairsMax);
    });
  }
  add_unbounded_pairs();
}

void BroadPhase::add_unbounded_pairs() {
  std::size_t room = limits::kPairsMax;
  for (const Unbounded& body : unbounded_) {
    const Vec3 n = body.normal;
    const Vec3 absolute{std::abs(n.x), std::abs(n.y), std::abs(n.z)};
    for (const Proxy& proxy : moving_) {
      const Vec3 centre = 0.5 * proxy.box.lower + 0.5 * proxy.box.upper;
      const Vec3 half = 0.5 * proxy.box.upper - 0.5 * proxy.box.lower;
      if (body.half_space && dot(n, centre) - dot(absolute, half) > body.offset) continue;
      if (room == 0) {
        complete_ = false;
        return;
      }
      --room;
      unsorted_.push_back({std::min(body.slot, proxy.slot), std::max(body.slot, proxy.slot)});
    }
  }
}

// By the first slot in one counting pass, then each body's few by the second.
void BroadPhase::sort_pairs() {
  ORRERY_ASSERT(unsorted_.size() <= std::size_t{3} * limits::kPairsMax);
  std::fill(next_of_slot_.begin(), next_of_slot_.end(), 0);
  for (const Pair& pair : unsorted_) ++next_of_slot_[pair.a];
  std::uint32_t sum = 0;
  for (std::uint32_t& next : next_of_slot_) sum += std::exchange(next, sum);
  pairs_.resize(unsorted_.size());
  for (const Pair& pair : unsorted_) pairs_[next_of_slot_[pair.a]++] = pair;
  std::size_t begin = 0;
  for (const std::size_t end : next_of_slot_) {
    std::sort(pairs_.data() + begin, pairs_.data() + end);
    begin = end;
  }
  ORRERY_ASSERT(begin == pairs_.size());
}

}  // namespace orrery
