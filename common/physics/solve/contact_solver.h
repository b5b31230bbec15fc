// Solves contacts and joints as soft constraints in substeps.
#pragma once

#include <cstdint>
#include <vector>

#include "common/core/executor.h"
#include "common/physics/body/bodies.h"
#include "common/physics/contacts/contact_set.h"
#include "common/physics/joints/joints.h"
#include "common/physics/rest/contact_loads.h"
#include "common/physics/solve/flat_impacts.h"
#include "common/physics/solve/joint_impacts.h"
#include "common/physics/update/contact_follow.h"
#include "common/physics/update/contact_update.h"

namespace orrery::physics {

// Gauss-Seidel iterations on soft constraints in small steps ("TGS soft": E. Catto, Solver2D, 2024;
// M. Macklin et al., Small Steps in Physics Simulation, 2019). A tick of n substeps of time h is
//
//   update                  contacts at the poses of the bodies
//   strike                  impacts: impulses with restitution and friction
//   n times:
//     kick by h             forces and uniform gravity
//     solve                 warm start, then impulses that also resolve overlap
//     drift by h            positions and orientations, without gravity
//     turn                  contacts of turning bodies and on curved ground are placed again
//     relax                 impulses that remove the speed added by resolving overlap; rolling
//                           resistance and friction
//   finish                  bounds on velocities and spins
//
// In `solve` (after the warm start) and in `relax`, joints (joints.h) come before contacts. Then
// joints and the contacts of their bodies are solved in turn some times (kJointRoundsMax).
// Between these steps Bodies holds poses, velocities and angular momenta. The steps `update`,
// `solve` and `relax` change no bit of a body that has neither contacts nor joints.
class ContactSolver {
 public:
  // REQUIRES: capacity is a positive multiple of limits::kTileBodies.
  explicit ContactSolver(std::uint32_t capacity)
      : contacts_(capacity), updater_(capacity), flat_impacts_(capacity), loads_(capacity) {}

  // Return the contacts.
  ContactSet& contacts() { return contacts_; }
  const ContactSet& contacts() const { return contacts_; }
  // Returns false if the last update left contacts out, because a limit was exceeded.
  bool contacts_complete() const { return updater_.complete(); }

  // Returns the joints. In each pass, contacts are solved after joints: the impulses solved last
  // leave the smallest errors, so remaining errors are in joints rather than in contacts.
  const JointSet& joints() const { return joints_; }
  // Replaces all joints.
  void set_joints(std::span<const Joint> joints);
  void change_joint(std::size_t joint, const JointSettings& settings) {
    joints_.change(joint, settings);
  }
  // Breaks the joints that this tick has overloaded; see JointSet::break_overloaded().
  std::vector<std::uint32_t> break_overloaded_joints(double tick) {
    return joints_.break_overloaded(tick);
  }
  // Breaks the joints of a body that is removed, and ends its contacts at the next update.
  void remove_body(std::uint32_t slot);
  // Restores the state of the joints; see JointSet::restore().
  void restore_joints(std::span<const double> numbers, std::span<const std::uint8_t> flags) {
    joints_.restore(numbers, flags);
  }
  // Returns the sum of the hashes of all contacts and of the joints.
  std::uint64_t hash(Executor& executor) { return contacts_.hash(executor) + joints_.hash(); }

  // Run the steps of a tick, which the comment of the class lists in order. h is the length of a
  // substep, and `shaped` the same bodies with their shapes.
  // REQUIRES: h > 0, and bodies.capacity() is that of the constructor. input.separate is empty,
  // because update() fills it with the pairs that joints keep from colliding.
  void update(const ContactInput& input, Executor& executor);
  void strike(Bodies& bodies, const Substep& step, Executor& executor);
  void solve(Bodies& bodies, const Substep& step, Executor& executor);
  void relax(Bodies& bodies, const ShapedBodies& shaped, const Substep& step, Executor& executor);
  void finish(Bodies& bodies, Executor& executor);

  // The contacts of bodies of joints: their colours, and how often a pass solves them and the
  // joints in turn.
  struct Jointed {
    std::uint64_t colours = 0;
    std::uint32_t rounds = 0;
  };

 private:
  void turn(const ShapedBodies& shaped, const Substep& step, Executor& executor);
  void repeat_joints(ContactPass pass, const Substep& step, Executor& executor);

  ContactSet contacts_;
  ContactUpdater updater_;
  ContactFollower follower_;
  JointSet joints_;
  FlatImpacts flat_impacts_;
  JointImpacts joint_impacts_;
  ContactLoads loads_;
  ContactLoads::Colours loaded_;  // of the contacts under load in this tick
  Jointed jointed_;               // in this tick
  bool started_ = false;          // true: the first substep of this tick has applied the warm start
};

}  // namespace orrery::physics
