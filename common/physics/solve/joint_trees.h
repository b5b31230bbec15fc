// Solves directly the joints that form trees.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/core/assert.h"
#include "common/physics/solve/joint.h"
#include "common/physics/solve/tree_passes.h"
#include "common/physics/solve/tree_plan.h"

namespace orrery::physics {

// The joints of a group that form trees (tree_plan.h). The rows that hold them together have no
// state: their impulses follow from poses and velocities.
class JointTrees {
 public:
  // Finds the trees. REQUIRES: no joint is broken.
  void set(std::span<const Joint> joints);
  // Returns true if a joint belongs to a tree.
  bool contains(std::size_t joint) const {
    ORRERY_ASSERT(joint < contained_.size());
    return contained_[joint] != 0;
  }

  // Finds the free trees of a tick. In a free tree, no body that forces can move (Joint::a_moves)
  // has a contact. contacts[i] is the number of contacts of the body in slot i. Joint i of set()
  // has the flag flags[indices[i]] (JointSet::flags()): it tells which trees were free in the last
  // tick. Replaces the flags of all joints of set(): 0 outside trees.
  void find_free(std::span<const std::uint32_t> contacts, std::span<const std::uint32_t> indices,
                 std::span<std::uint8_t> flags);
  // Run the passes of tree_passes.h over all trees.
  void factor(const Bodies& bodies);
  void meet_positions(const BodyRows& rows, const Substep& step);
  void project_velocities(const BodyRows& rows, const Substep& step);

 private:
  // A batch and its memory.
  struct Batch {
    std::uint32_t lanes = 0;
    std::uint32_t used = 0;
    const TreePlan* plan = nullptr;
    std::vector<std::uint32_t> slots;
    std::vector<std::uint32_t> joints;  // of each link, like `slots`
    std::vector<double> links;
    std::vector<double> free;
    std::vector<double> was_free;
    std::vector<double> bodies;
    std::vector<double> rows;
    std::vector<double> entries;
    TreeBatch view();
  };
  void add_batch(std::span<const Joint> joints, const TreeGroup& group, std::uint32_t first,
                 std::uint32_t lanes);

  std::vector<std::uint8_t> contained_;
  std::vector<TreeGroup> groups_;
  std::vector<Batch> batches_;
};

}  // namespace orrery::physics
