// Carries the bodies that kinematic bodies pass over in a tick (continuous.h).
#include <algorithm>
#include <tuple>

#include "common/core/limits.h"
#include "common/physics/narrow/queries.h"
#include "common/physics/shape/tree_walk.h"
#include "common/physics/sweep/continuous.h"

namespace orrery::physics {
namespace {

// Returns false if the way is too short to bring the centre of a part of one body to the far side
// of the other body. Contacts prevent that.
bool may_pass(double way, double inner_radius, double other_inner_radius) {
  return way > 0.5 * std::max(inner_radius, other_inner_radius);
}

}  // namespace

// Lists the kinematic bodies that may pass over another body.
void ContinuousCollision::find_movers(Input& input) {
  ORRERY_ASSERT(input.smallest > 0);
  movers_.clear();
  if (!input.index.any_kinematic()) return;
  const ShapedBodies& shaped = input.shaped;
  for (const Proxy& proxy : input.index.moving()) {
    if (shaped.bodies.inverse_mass(proxy.slot) != 0) continue;
    const Shape& shape = shaped.shape(proxy.slot);
    const double way = points_way(shape.reach, motion_of(shaped.bodies, proxy.slot));
    if (!(way < limits::kLengthMax) || !may_pass(way, shape.inner_radius, input.smallest)) continue;
    movers_.push_back(proxy.slot);
    input.movers_way = std::max(input.movers_way, way);
  }
}

// Searches for the first time that a body in motion meets a core of another body.
void ContinuousCollision::carry_by(const Input& input, std::uint32_t mover, std::uint32_t slot,
                                   SweepBudget& budget, std::vector<Carried>& found) const {
  ORRERY_ASSERT(mover != slot && input.shaped.bodies.inverse_mass(slot) > 0);
  const ShapedBodies& shaped = input.shaped;
  const Pair pair{std::min(slot, mover), std::max(slot, mover)};
  if (std::binary_search(input.separate.begin(), input.separate.end(), pair)) return;
  const Motion driven = motion_of(shaped.bodies, mover), body = motion_of(shaped.bodies, slot);
  const Part core = ball_part(core_radius(shaped.shape(slot)));
  const double distance = core_distance(shaped.shape(slot));
  Carried first{slot, mover, 2, {}};
  for (const Part& other : shaped.parts(mover)) {
    const Aabb box = enlarged(swept_bounds(shaped.shapes, other, driven), distance);
    for (const Part& part : shaped.parts(slot)) {
      if (part.filter.sensor || other.filter.sensor || !may_meet(part.filter, other.filter)) {
        continue;
      }
      const Motion way = way_of(body, part.position);
      if (!budget.look() || !overlaps(box, around(way, core.radius))) continue;
      const std::optional<Impact> impact =
          time_of_impact(shaped.shapes, core, way, other, driven, distance, &budget);
      if (!impact || impact->fraction >= first.fraction) continue;
      const Pose there = pose_at(driven, impact->fraction);
      const Vec3 met = pose_at(way, impact->fraction).position - there.position;
      const Vec3 end = transform(driven.to, rotate_back(there.orientation, met));
      const Vec3 shift = end - way.to.position;
      // A contact moves a body in touch with the mover, unless it is slower.
      if (impact->fraction == 0 && !(dot(shift, -impact->normal) > distance)) continue;
      first = {slot, mover, impact->fraction, shift};
    }
  }
  if (first.fraction <= 1) found.push_back(first);
}

// Searches for the bodies near a body in motion. Leaves out fast bodies if it is kinematic: these
// search themselves.
void ContinuousCollision::carry_near(const Input& input, std::uint32_t mover, SweepBudget& budget,
                                     std::vector<Carried>& found) const {
  ORRERY_ASSERT(mover < place_.size());
  const ShapedBodies& shaped = input.shaped;
  const bool kinematic = shaped.bodies.inverse_mass(mover) == 0;
  const Motion motion = motion_of(shaped.bodies, mover);
  const double way = points_way(shaped.shape(mover).reach, motion);
  const Aabb box =
      enlarged(swept_bounds(shaped.shapes, shaped.parts(mover), motion), input.slow_way);
  walk(
      input.index.moving_tree(),
      [&](const Aabb& other) { return budget.look() && overlaps(other, box); },
      [&](std::uint32_t slot) {
        if (shaped.bodies.inverse_mass(slot) == 0 || place_[slot] != kNone || slot == mover) return;
        if (!may_pass(way, shaped.shape(mover).inner_radius, shaped.shape(slot).inner_radius)) {
          return;
        }
        if (kinematic && is_fast(slot)) return;
        carry_by(input, mover, slot, budget, found);
      });
}

// Searches for the kinematic bodies near a fast body.
void ContinuousCollision::carry_fast(const Input& input, std::uint32_t slot, SweepBudget& budget,
                                     std::vector<Carried>& found) const {
  ORRERY_ASSERT(slot < place_.size() && input.movers_way > 0);
  const ShapedBodies& shaped = input.shaped;
  const Shape& shape = shaped.shape(slot);
  const Motion motion = motion_of(shaped.bodies, slot);
  const Aabb box =
      enlarged(swept_bounds(shaped.shapes, shaped.parts(slot), motion), input.movers_way);
  walk(
      input.index.moving_tree(),
      [&](const Aabb& other) { return budget.look() && overlaps(other, box); },
      [&](std::uint32_t mover) {
        if (!std::binary_search(movers_.begin(), movers_.end(), mover)) return;
        const double way = points_way(shaped.shape(mover).reach, motion_of(shaped.bodies, mover));
        if (may_pass(way, shaped.shape(mover).inner_radius, shape.inner_radius)) {
          carry_by(input, mover, slot, budget, found);
        }
      });
}

// Fills queue_ with the impacts of kinematic bodies.
void ContinuousCollision::find_carried(const Input& input, Executor& executor) {
  ORRERY_ASSERT(!movers_.empty());
  const auto movers = static_cast<std::uint32_t>(movers_.size());
  const auto count = movers + static_cast<std::uint32_t>(fast_.size());
  const std::uint32_t boxes =
      std::max(limits::kSweepBoxTestsMax / count, limits::kSweepBoxTestsPerBodyMin);
  const Split split(executor.width(), count, 1);
  ORRERY_ASSERT(split.parts >= 1);
  found_.resize(std::max<std::size_t>(found_.size(), split.parts));
  for (std::vector<Carried>& found : found_) found.clear();
  parallel_parts(executor, split, [&](std::uint32_t n, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i) {
      SweepBudget budget(boxes);
      if (i < movers) {
        carry_near(input, movers_[i], budget, found_[n]);
      } else {
        carry_fast(input, fast_[i - movers].slot, budget, found_[n]);
      }
    }
  });
  queue_.clear();
  for (const std::vector<Carried>& found : found_) {
    queue_.insert(queue_.end(), found.begin(), found.end());
  }
}

// Moves a carried body back because the body that it pushes is stopped, and its own pusher too.
void ContinuousCollision::push_back(Bodies& bodies, std::uint32_t slot, Vec3 lost) {
  ORRERY_ASSERT(slot < place_.size());
  while (place_[slot] != kNone && lost != Vec3{}) {
    Carried& c = carried_[place_[slot]];
    if (length(lost) > length(c.shift)) lost = c.shift;
    bodies.set_position(slot, bodies.position(slot) - lost);
    c.shift -= lost;
    slot = c.by;
  }
}

// Moves the bodies that kinematic bodies pass over, each from the first of its impacts on. The
// impacts are processed in the order of time. A carried body carries others in turn: this is how a
// pile moves. Each body is carried once.
void ContinuousCollision::carry(Bodies& bodies, Input& input, Executor& executor) {
  ORRERY_ASSERT(bodies.slots() <= place_.size());
  find_movers(input);
  if (movers_.empty()) return;
  find_carried(input, executor);
  const auto later = [](const Carried& a, const Carried& b) {
    return std::tie(a.fraction, a.slot, a.by) > std::tie(b.fraction, b.slot, b.by);
  };
  std::make_heap(queue_.begin(), queue_.end(), later);
  carried_.clear();
  std::vector<Carried>& found = found_[0];
  while (!queue_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end(), later);
    Carried c = queue_.back();
    queue_.pop_back();
    if (place_[c.slot] != kNone) continue;
    const Vec3 lost = (1 - free_share(input, c.slot, c.shift)) * c.shift;
    c.shift -= lost;
    bodies.set_position(c.slot, bodies.position(c.slot) + c.shift);
    place_[c.slot] = static_cast<std::uint32_t>(carried_.size());
    carried_.push_back(c);
    push_back(bodies, c.by, lost);
    found.clear();
    SweepBudget budget(limits::kSweepBoxTestsPerBodyMin);
    carry_near(input, c.slot, budget, found);
    for (const Carried& next : found) {
      queue_.push_back(next);
      std::push_heap(queue_.begin(), queue_.end(), later);
    }
  }
  for (const Carried& c : carried_) place_[c.slot] = kNone;
}

}  // namespace orrery::physics
