// Arranges trees of joints in batches, and runs the passes over them.
#include "common/physics/solve/joint_trees.h"

#include <algorithm>

namespace orrery::physics {
namespace {

// Copies the constants of a joint to the numbers of a link. Number i is at numbers[i * lanes].
void write_link(const Joint& joint, double* numbers, std::uint32_t lanes) {
  static_assert(TreeLinkNumbers::at_b == TreeLinkNumbers::at_a + 7);
  static_assert(TreeLinkNumbers::rest == TreeLinkNumbers::at_b + 7);
  ORRERY_ASSERT(lanes == 1 || lanes == kTreeLanes);
  const auto write = [&](std::uint32_t first, const Pose& at) {
    const double values[7] = {at.position.x,    at.position.y,    at.position.z,   at.orientation.x,
                              at.orientation.y, at.orientation.z, at.orientation.w};
    for (std::uint32_t i = 0; i < 7; ++i) numbers[(first + i) * lanes] = values[i];
  };
  write(TreeLinkNumbers::at_a, joint.at_a);
  write(TreeLinkNumbers::at_b, joint.at_b);
  numbers[TreeLinkNumbers::rest * lanes] = joint.rest;
}

}  // namespace

TreeBatch JointTrees::Batch::view() {
  ORRERY_ASSERT(plan != nullptr && used != 0);
  return {plan,         lanes,        used,          slots.data(), links.data(),  free.data(),
          taken.data(), given.data(), bodies.data(), rows.data(),  entries.data()};
}

void JointTrees::set(std::span<const Joint> joints) {
  batches_.clear();
  groups_ = group_trees(joints);
  contained_.assign(joints.size(), 0);
  for (const TreeGroup& group : groups_) {
    for (const std::uint32_t joint : group.joints) contained_[joint] = 1;
    for (std::uint32_t first = 0; first < group.trees;) {
      const bool alone = first + 1 == group.trees;
      add_batch(joints, group, first, alone ? 1 : kTreeLanes);
      first += alone ? 1 : std::min(kTreeLanes, group.trees - first);
    }
  }
  find_driven(joints);
}

// Finds the places of all bodies that move, and the driven trees.
void JointTrees::find_driven(std::span<const Joint> joints) {
  ORRERY_ASSERT(contained_.size() == joints.size());
  places_.clear();
  for (std::uint32_t b = 0; b < batches_.size(); ++b) {
    const Batch& batch = batches_[b];
    for (std::uint32_t i = 0; i < batch.slots.size(); ++i) {
      const std::uint32_t lane = i % batch.lanes, body = i / batch.lanes;
      if (!batch.plan->moves[body] || !(batch.used >> lane & 1)) continue;
      places_.push_back({batch.slots[i], b, lane, body});
    }
  }
  std::sort(places_.begin(), places_.end(),
            [](const Place& a, const Place& b) { return a.slot < b.slot; });
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const bool apart =
        coordinate_rows(joints[i]) > 0 || (!contained_[i] && hold_rows(joints[i]) > 0);
    if (!apart) continue;
    for (const std::uint32_t slot : {joints[i].a, joints[i].b}) {
      if (const Place* const place = place_of(slot))
        batches_[place->batch].driven |= 1u << place->lane;
    }
  }
}

const JointTrees::Place* JointTrees::place_of(std::uint32_t slot) const {
  const auto at = std::lower_bound(places_.begin(), places_.end(), slot,
                                   [](const Place& p, std::uint32_t s) { return p.slot < s; });
  return at != places_.end() && at->slot == slot ? &*at : nullptr;
}

// Returns the velocity of a body in its batch: six numbers, `lanes` apart.
double* JointTrees::motion_at(const Place& place) const {
  ORRERY_ASSERT(place.batch < batches_.size());
  const Batch& batch = batches_[place.batch];
  const std::size_t first = std::size_t{place.body} * TreeBody::count + TreeBody::velocity;
  return const_cast<double*>(&batch.bodies[first * batch.lanes + place.lane]);
}

// Sets the velocities of all bodies of a tree to 0.
void JointTrees::rest(const Place& place) {
  ORRERY_ASSERT(place.batch < batches_.size());
  const Batch& batch = batches_[place.batch];
  ORRERY_ASSERT(place.lane < batch.lanes);
  static_assert(TreeBody::angular_velocity == TreeBody::velocity + 3);
  for (std::uint32_t body = 0; body < batch.plan->bodies; ++body) {
    double* const at = motion_at({place.slot, place.batch, place.lane, body});
    for (std::uint32_t i = 0; i < 6; ++i) at[std::size_t{i} * batch.lanes] = 0;
  }
}

void JointTrees::respond(std::uint32_t slot_a, const TreeMotion& a, std::uint32_t slot_b,
                         const TreeMotion& b) {
  ORRERY_ASSERT(slot_a != slot_b);
  pushed_[0] = {slot_a, a, place_of(slot_a)};
  pushed_[1] = {slot_b, b, place_of(slot_b)};
  for (const Pushed& pushed : pushed_) {
    if (pushed.place) rest(*pushed.place);
  }
  for (const Pushed& pushed : pushed_) {
    if (!pushed.place) continue;
    double* const at = motion_at(*pushed.place);
    const std::size_t lanes = batches_[pushed.place->batch].lanes;
    const Vec3 &v = pushed.motion.v, &w = pushed.motion.w;
    const double values[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
    for (std::size_t i = 0; i < 6; ++i) at[i * lanes] = values[i];
  }
  const Place *first = pushed_[0].place, *second = pushed_[1].place;
  if (first) project_lane(batches_[first->batch].view(), first->lane);
  const bool same = first && second && first->batch == second->batch && first->lane == second->lane;
  if (second && !same) project_lane(batches_[second->batch].view(), second->lane);
}

TreeMotion JointTrees::response_of(std::uint32_t slot) const {
  if (const Place* const place = place_of(slot)) {
    const auto responds = [&](const Pushed& p) {
      return p.place && p.place->batch == place->batch && p.place->lane == place->lane;
    };
    if (!responds(pushed_[0]) && !responds(pushed_[1])) return {};
    const double* const at = motion_at(*place);
    const std::size_t lanes = batches_[place->batch].lanes;
    return {{at[0], at[lanes], at[2 * lanes]}, {at[3 * lanes], at[4 * lanes], at[5 * lanes]}};
  }
  if (slot == pushed_[0].slot) return pushed_[0].motion;
  return slot == pushed_[1].slot ? pushed_[1].motion : TreeMotion{};
}

void JointTrees::project_driven(const BodyRows& rows) {
  for (Batch& batch : batches_) {
    if (batch.driven == 0) continue;
    TreeBatch view = batch.view();
    view.used &= batch.driven;
    physics::project_velocities(rows, view, {1, {}});
  }
}

void JointTrees::add_batch(std::span<const Joint> joints, const TreeGroup& group,
                           std::uint32_t first, std::uint32_t lanes) {
  const TreePlan& plan = group.plan;
  ORRERY_ASSERT(first < group.trees);
  ORRERY_ASSERT(plan.entry_rows.size() == plan.columns.back());
  static_assert(kTreeLanes < 32);  // `used` has a bit for each lane
  Batch& batch = batches_.emplace_back();
  const std::uint32_t trees = std::min(lanes, group.trees - first);
  batch.lanes = lanes;
  batch.used = (1u << trees) - 1;
  batch.plan = &plan;
  batch.slots.resize(std::size_t{plan.bodies} * lanes);
  batch.joints.resize(plan.links.size() * lanes);
  batch.links.resize(plan.links.size() * TreeLinkNumbers::count * lanes);
  batch.free.assign(lanes, 0);
  batch.taken.assign(lanes, 0);
  batch.given.assign(lanes, 0);
  batch.bodies.assign(std::size_t{plan.bodies} * TreeBody::count * lanes, 0);
  batch.rows.assign(std::size_t{plan.rows} * TreeRow::count * lanes, 0);
  batch.entries.assign(plan.entry_rows.size() * lanes, 0);
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    const std::size_t tree = first + (lane < trees ? lane : 0);
    for (std::uint32_t b = 0; b < plan.bodies; ++b) {
      batch.slots[b * lanes + lane] = group.slots[tree * plan.bodies + b];
    }
    for (std::size_t i = 0; i < plan.links.size(); ++i) {
      const std::uint32_t joint = group.joints[tree * plan.links.size() + i];
      batch.joints[i * lanes + lane] = joint;
      write_link(joints[joint], &batch.links[i * TreeLinkNumbers::count * lanes + lane], lanes);
    }
  }
}

void JointTrees::find_free(std::span<const std::uint32_t> contacts,
                           std::span<const std::uint32_t> indices, std::span<std::uint8_t> flags) {
  ORRERY_ASSERT(indices.size() == contained_.size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (!contained_[i]) flags[indices[i]] = 0;
  }
  for (Batch& batch : batches_) {
    for (std::uint32_t lane = 0; lane < batch.lanes; ++lane) {
      batch.taken[lane] = flags[indices[batch.joints[lane]]] == kJointFree ? 1 : 0;
    }
    std::fill(batch.free.begin(), batch.free.end(), 1.0);
    ORRERY_ASSERT(batch.slots.size() == std::size_t{batch.plan->bodies} * batch.lanes);
    ORRERY_ASSERT(*std::max_element(batch.slots.begin(), batch.slots.end()) < contacts.size());
    for (std::size_t i = 0; i < batch.slots.size(); ++i) {
      if (!batch.plan->moves[i / batch.lanes]) continue;
      if (contacts[batch.slots[i]] > 0) batch.free[i % batch.lanes] = 0;
    }
    for (std::uint32_t lane = 0; lane < batch.lanes; ++lane) {
      const bool driven = batch.driven >> lane & 1;
      if (driven) batch.taken[lane] = 0;
      batch.given[lane] = driven ? 0 : batch.free[lane];
    }
    for (std::size_t i = 0; i < batch.joints.size(); ++i) {
      flags[indices[batch.joints[i]]] = batch.given[i % batch.lanes] > 0 ? kJointFree : 0;
    }
  }
}

void JointTrees::factor(const Bodies& bodies) {
  for (Batch& batch : batches_) factor_trees(bodies, batch.view());
}

void JointTrees::meet_positions(const BodyRows& rows, const Substep& step) {
  for (Batch& batch : batches_) {
    physics::meet_positions(rows, batch.view(), step);
    batch.taken = batch.given;
  }
}

void JointTrees::project_velocities(const BodyRows& rows, const Substep& step) {
  for (Batch& batch : batches_) physics::project_velocities(rows, batch.view(), step);
}

}  // namespace orrery::physics
