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
  return {plan,        lanes,           used,          slots.data(), links.data(),
          free.data(), was_free.data(), bodies.data(), rows.data(),  entries.data()};
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
  batch.was_free.assign(lanes, 0);
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
      batch.was_free[lane] = flags[indices[batch.joints[lane]]] == kJointFree ? 1 : 0;
    }
    std::fill(batch.free.begin(), batch.free.end(), 1.0);
    ORRERY_ASSERT(batch.slots.size() == std::size_t{batch.plan->bodies} * batch.lanes);
    ORRERY_ASSERT(*std::max_element(batch.slots.begin(), batch.slots.end()) < contacts.size());
    for (std::size_t i = 0; i < batch.slots.size(); ++i) {
      if (!batch.plan->moves[i / batch.lanes]) continue;
      if (contacts[batch.slots[i]] > 0) batch.free[i % batch.lanes] = 0;
    }
    for (std::size_t i = 0; i < batch.joints.size(); ++i) {
      flags[indices[batch.joints[i]]] = batch.free[i % batch.lanes] > 0 ? kJointFree : 0;
    }
  }
}

void JointTrees::factor(const Bodies& bodies) {
  for (Batch& batch : batches_) factor_trees(bodies, batch.view());
}

void JointTrees::meet_positions(const BodyRows& rows, const Substep& step) {
  for (Batch& batch : batches_) {
    physics::meet_positions(rows, batch.view(), step);
    batch.was_free = batch.free;
  }
}

void JointTrees::project_velocities(const BodyRows& rows, const Substep& step) {
  for (Batch& batch : batches_) physics::project_velocities(rows, batch.view(), step);
}

}  // namespace orrery::physics
