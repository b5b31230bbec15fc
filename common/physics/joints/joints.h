// Solves joints together with contacts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/core/executor.h"
#include "common/physics/body/bodies.h"
#include "common/physics/body/body_rows.h"
#include "common/physics/body/substep.h"
#include "common/physics/broad/pair_search.h"
#include "common/physics/joints/joint.h"
#include "common/physics/joints/joint_islands.h"

namespace orrery::physics {

class JointGroup;

// Returns true if these can be the numbers and flags of the joints: the counts are right, each flag
// is 0, kJointBroken or kJointFree, numbers are within +-limits::kForceMax, and those of broken
// joints are +0.
bool can_be_state(std::span<const Joint> joints, std::span<const double> numbers,
                  std::span<const std::uint8_t> flags);

// The joints of a world, solved before contacts in each pass. If joints form trees, the rows that
// hold their bodies together are solved directly (joint_trees.h). All other rows are solved one by
// one (joint_rows.h), and their impulses are state: limits, springs, motors, joints outside trees.
// Threads share the work by groups of joints (joint_group.h).
class JointSet {
 public:
  JointSet();
  ~JointSet();
  JointSet(JointSet&&) noexcept;
  JointSet& operator=(JointSet&&) noexcept;

  // Replaces all joints. Impulses and angles start at 0. The joints count as free in the tick
  // before.
  void set(std::span<const Joint> joints);
  // Replaces the settings of a joint, but not its kind. Its angle stays; its impulses start at 0 if
  // it gets or loses a limit, a spring or a motor.
  void change(std::size_t joint, const JointSettings& settings);
  // Breaks the joints of a body that is removed.
  void break_joints_of(std::uint32_t slot);
  // Breaks the joints with a mean load that was too large in this tick (JointSettings), and returns
  // their indices, ascending. Bounces with restitution do not count. `tick` is the length of a
  // tick. REQUIRES: the passes of this tick have run.
  std::vector<std::uint32_t> break_overloaded(double tick);

  // Return the joints, and whether the joint with this index is broken.
  std::span<const Joint> joints() const { return joints_; }
  bool broken(std::size_t joint) const { return flags_[joint] == kJointBroken; }
  // Returns the pairs of bodies that do not collide because of an unbroken joint, ascending.
  std::span<const Pair> separate() const { return separate_; }

  // Return the state between two ticks: the numbers of each joint (state_numbers()), and for each
  // joint 0, kJointBroken or kJointFree.
  std::span<const double> numbers() const { return numbers_; }
  std::span<const std::uint8_t> flags() const { return flags_; }
  // Replaces the state.
  // REQUIRES: can_be_state(joints(), numbers, flags).
  void restore(std::span<const double> numbers, std::span<const std::uint8_t> flags);
  // Returns the hash of the state.
  std::uint64_t hash() const;

  // Starts a tick. contacts[i] is the number of contacts of the body in slot i.
  void begin_tick(std::span<const std::uint32_t> contacts);
  // Run the solve and the relax pass of joints in a substep, like those of contacts
  // (contact_kernels.h). Both limit the spins of the bodies of joints to a quarter of a turn in a
  // substep, and the components of their velocities to limits::kSpeedMax.
  void solve(const Bodies& bodies, const BodyRows& rows, const Substep& step, Executor& executor);
  void relax(const Bodies& bodies, const BodyRows& rows, const Substep& step, Executor& executor);
  // Returns the islands of the joints that are not broken. REQUIRES: begin_tick() was called.
  const JointIslands& islands() const { return islands_; }
  // Changes the velocities of the bodies in `slots` for an impact. Both ways are projections: they
  // remove the least kinetic energy.
  //
  // Without `before`, makes the joints hold at the present velocities. No limit is then reached
  // within a substep.
  //
  // With `before`, takes changes of velocity in the rows of the bodies, and projects them onto the
  // changes that joints and limits allow. `before` has the velocity of each slot without the
  // change: a limit acts if its bodies rest at it.
  // REQUIRES: slots ascend and have all bodies of an island of joints or none, and this tick has
  // had no solve().
  void project(const Bodies& bodies, const BodyRows& rows, std::span<const std::uint32_t> slots,
               SolverBody* before, const Substep& step);
  // Runs the last pass, solve or relax, once more for islands with contacts, which have changed the
  // velocities of their bodies.
  void repeat(const BodyRows& rows, const Substep& step, Executor& executor);
  // Subtracts from BodyRows::pushed the changes of velocity by joints since the last call. `pushed`
  // then has the changes by contacts only.
  void take_out(const BodyRows& rows, Executor& executor);

 private:
  void find_groups();
  template <class Run>
  void for_groups(Executor& executor, Run run);
  void set_separate();
  void break_joint(std::size_t joint);

  std::vector<Joint> joints_;
  std::vector<std::uint8_t> flags_;
  std::vector<Pair> separate_;
  std::vector<std::uint32_t> first_;  // index of each joint's first number; last: their count
  std::vector<double> numbers_;       // see numbers(); the rows of trees do not use theirs
  std::vector<JointGroup> groups_;
  JointIslands islands_;
  std::vector<std::uint32_t> hit_;  // groups that take part in an impact
  bool grouped_ = true;  // false: joints have changed or broken since groups_ was computed
};

}  // namespace orrery::physics
