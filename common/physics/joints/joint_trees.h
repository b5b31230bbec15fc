// Solves directly the joints that form trees.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/core/assert.h"
#include "common/physics/joints/joint.h"
#include "common/physics/joints/tree_passes.h"
#include "common/physics/joints/tree_plan.h"

namespace orrery::physics {

// A velocity and an angular velocity, or changes of them.
struct TreeMotion {
  Vec3 v;
  Vec3 w;
};

// The joints of a group that form trees (tree_plan.h). The rows that hold them together have no
// state: their impulses follow from poses and velocities.
class JointTrees {
 public:
  // Finds the trees. REQUIRES: no joint is broken.
  void set(std::span<const Joint> joints);
  // From now on, the passes add the impulses of joint i of set() to loads[i]. Impacts do not.
  void track(JointLoad* loads);
  // Returns true if a joint belongs to a tree.
  bool contains(std::size_t joint) const {
    ORRERY_ASSERT(joint < contained_.size());
    return contained_[joint] != 0;
  }

  // Returns true if a joint belongs to a net and closes a loop.
  bool closes(std::size_t joint) const {
    ORRERY_ASSERT(joint < contained_.size());
    return contained_[joint] == kCloses;
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
  // Runs meet_positions() or project_velocities() once more over the trees with contacts. Gravity
  // does not act again.
  void repeat(const BodyRows& rows, const Substep& step, bool relaxes);
  // Runs project_velocities() without gravity over the driven trees: a body of theirs has a row
  // that is solved apart from the trees (JointRows).
  void project_driven(const BodyRows& rows);
  // Does the same over the trees of the bodies in `slots`. REQUIRES: slots ascend.
  void project_some(const BodyRows& rows, std::span<const std::uint32_t> slots);
  // Does the same over the driven trees at the start of a substep of length h, and stiffens driven
  // trees under tension (tree_tension.inl).
  void begin_driven(const BodyRows& rows, double h);
  // Returns true if some body may have added inertia.
  bool any_added() const;
  // Returns the inertia that the trees add to that of a body.
  double added_inertia(std::uint32_t slot) const;

  // An element of the speeds that an impulse outside the trees gives to their rows. Let s be these
  // speeds, and A = L D L^T the matrix of the rows (tree_plan.h).
  struct Element {
    std::uint32_t row;  // among the rows of all trees, less than rows()
    double value;       // of L^-1 s
    double scaled;      // of D^-1 L^-1 s
  };
  // Returns the number of rows of all trees.
  std::uint32_t rows() const { return rows_; }
  // Appends the elements that are not 0, for changes of the motion of two bodies from rest. Rows
  // ascend within each tree. The trees take the sum of value * scaled from the response of the
  // impulse to another one.
  void reduce(std::uint32_t slot_a, const TreeMotion& a, std::uint32_t slot_b, const TreeMotion& b,
              std::vector<Element>& elements);

 private:
  // A batch and its memory.
  struct Batch {
    std::uint32_t lanes = 0;
    std::uint32_t used = 0;
    std::uint32_t first_row = 0;  // of lane 0, among the rows of all trees
    const TreePlan* plan = nullptr;
    std::vector<std::uint32_t> slots;
    std::vector<std::uint32_t> joints;  // of each link, like `slots`
    std::vector<double> links;
    std::vector<double> free;
    std::vector<double> taken;
    std::vector<double> open;
    std::vector<double> compliance;
    std::vector<double> energy;
    std::vector<double> given;
    std::uint32_t driven = 0;            // a bit for each lane with a driven tree
    std::vector<double> driven_lanes;    // of each lane: 1 if its tree is driven, else 0
    std::vector<double> undriven_lanes;  // the opposite
    bool stiff = false;                  // whether a body may have added inertia (tree_tension.inl)
    std::vector<double> bodies;
    std::vector<double> rows;
    std::vector<double> entries;
    std::vector<double> loads;  // empty if no load breaks a joint
    TreeBatch view();
    // Removes the added inertia of all bodies.
    void forget_tension();
  };
  void add_batch(std::span<const Joint> joints, const TreeGroup& group, std::uint32_t first,
                 std::uint32_t lanes);

  // Where a body that moves is in the trees.
  struct Place {
    std::uint32_t slot;
    std::uint32_t batch;
    std::uint32_t lane;
    std::uint32_t body;
  };
  const Place* place_of(std::uint32_t slot) const;
  void find_driven(std::span<const Joint> joints);
  void collect(const Batch& batch, std::uint32_t used);

  // A body that an impulse moves.
  struct Pushed {
    const Place* place;
    TreeMotion motion;
  };
  void load(const Place& place);
  void reduce_tree(std::span<const Pushed> pushed, std::vector<Element>& elements);

  JointLoad* loads_ = nullptr;  // argument of track()
  std::vector<Place> places_;   // by slot
  std::uint32_t rows_ = 0;

  // The tree that was loaded last.
  struct Directions {
    Vec3 n, j_a, j_b;
  };
  const Place* loaded_ = nullptr;       // one of its bodies
  std::vector<double> factor_;          // its entries
  std::vector<Directions> directions_;  // of its rows
  std::vector<double> speeds_;          // of its rows; 0 between uses

  static constexpr std::uint8_t kCloses = 2;
  std::vector<std::uint8_t> contained_;  // of each joint: 0, 1, or kCloses
  std::vector<TreeGroup> groups_;
  std::vector<Batch> batches_;
  std::vector<std::uint32_t> chosen_;  // of each batch: a bit for each lane (project_some())
};

}  // namespace orrery::physics
