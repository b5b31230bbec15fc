// Solves joints together with contacts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/core/executor.h"
#include "common/physics/body/bodies.h"
#include "common/physics/body/body_rows.h"
#include "common/physics/broad/pair_search.h"
#include "common/physics/solve/joint.h"
#include "common/physics/solve/joint_group.h"

namespace orrery::physics {

// The joints of a world, solved before contacts in each pass. If joints form trees, the rows that
// hold their bodies together are solved directly (joint_trees.h). All other rows are solved one by
// one (joint_rows.h), and their impulses are state: limits, springs, motors, joints outside trees.
// Threads share the work by groups of joints (joint_group.h).
class JointSet {
 public:
  // Replaces all joints. Impulses start at 0.
  void set(std::span<const Joint> joints);
  // Breaks the joints of a body that is removed.
  void break_joints_of(std::uint32_t slot);

  // Return the joints, and whether the joint with this index is broken.
  std::span<const Joint> joints() const { return joints_; }
  bool broken(std::size_t joint) const { return broken_[joint] != 0; }
  // Returns the pairs of bodies that do not collide because of an unbroken joint, ascending.
  std::span<const Pair> separate() const { return separate_; }

  // Return the state between two ticks: an impulse for each row of each joint, and for each joint 1
  // if it is broken, else 0.
  std::span<const double> impulses() const { return impulses_; }
  std::span<const std::uint8_t> broken() const { return broken_; }
  // Returns true if restore() accepts this state: the counts are right, each flag is 0 or 1,
  // impulses are within +-limits::kForceMax, and those of broken joints are +0.
  bool fits(std::span<const double> impulses, std::span<const std::uint8_t> broken) const;
  // Replaces the state.
  // REQUIRES: fits(impulses, broken).
  void restore(std::span<const double> impulses, std::span<const std::uint8_t> broken);
  // Returns the hash of the state.
  std::uint64_t hash() const;

  // Starts a tick. contacts[i] is the number of contacts of the body in slot i.
  void begin_tick(std::span<const std::uint32_t> contacts);
  // Run the solve and the relax pass of joints in a substep, like those of contacts
  // (contact_kernels.h). Both limit the spins of the bodies of joints to a quarter of a turn in a
  // substep, and the components of their velocities to limits::kSpeedMax.
  void solve(const Bodies& bodies, const BodyRows& rows, const Substep& step, Executor& executor);
  void relax(const Bodies& bodies, const BodyRows& rows, const Substep& step, Executor& executor);

 private:
  void find_groups();
  void set_separate();

  std::vector<Joint> joints_;
  std::vector<std::uint8_t> broken_;
  std::vector<Pair> separate_;
  std::vector<std::uint32_t> first_row_;  // index of each joint's first row; last: number of rows
  std::vector<double> impulses_;          // impulse of each row; rows of trees do not use it
  std::vector<JointGroup> groups_;
  bool grouped_ = true;  // false: joints have changed or broken since groups_ was computed
};

}  // namespace orrery::physics
