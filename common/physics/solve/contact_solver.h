// Owns the solving of contacts: soft constraints in substeps.
#pragma once

#include <cstdint>

#include "common/core/executor.h"
#include "common/physics/body/bodies.h"
#include "common/physics/solve/contact_set.h"
#include "common/physics/solve/joints.h"

namespace orrery::physics {

// Sequential impulses on soft constraints in small steps ("TGS soft": E. Catto, Solver2D, 2024;
// M. Macklin et al., Small Steps in Physics Simulation, 2019). A tick of n substeps of time h is
//
//   update                  at the poses of the bodies
//   n times:
//     kick by h             forces and uniform gravity
//     solve                 the impulses of before, then what takes out overlap
//     drift by h            without gravity: positions and orientations move
//     relax                 takes out the speed that taking out overlap has given; friction
//   finish                  bounces, and a bound on spins
//
// Poses, velocities and angular momenta are in Bodies between any two of these. A body that no
// contact pushes keeps every bit.
class ContactSolver {
 public:
  // For slots below `capacity`, a multiple of limits::kTileBodies.
  explicit ContactSolver(std::uint32_t capacity) : contacts_(capacity) {}

  ContactSet& contacts() { return contacts_; }
  const ContactSet& contacts() const { return contacts_; }

  // Joints are solved before contacts, so that these have the last word.
  const JointSet& joints() const { return joints_; }
  void set_joints(std::span<const Joint> joints);
  // The joints and contacts of a body that goes.
  void forget(std::uint32_t slot);
  void restore_joints(std::span<const double> impulses, std::span<const std::uint8_t> broken) {
    joints_.restore(impulses, broken);
  }
  // The sum of the hashes of all contacts and of the joints.
  std::uint64_t hash(Executor& executor) { return contacts_.hash(executor) + joints_.hash(); }

  void update(const ContactInput& input, Executor& executor);
  void solve(Bodies& bodies, double h, Executor& executor);
  void relax(Bodies& bodies, double h, Executor& executor);
  void finish(Bodies& bodies, Executor& executor);

 private:
  void bounce(Bodies& bodies, Executor& executor);

  ContactSet contacts_;
  JointSet joints_;
  bool started_ = false;  // in this tick: the impulses of before are in the velocities
};

}  // namespace orrery::physics
