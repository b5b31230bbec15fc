// Solves a group of joints, which shares no moving body with other groups.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/physics/body/bodies.h"
#include "common/physics/body/body_rows.h"
#include "common/physics/solve/joint.h"
#include "common/physics/solve/joint_rows.h"
#include "common/physics/solve/joint_trees.h"

namespace orrery::physics {

// Joints of a world that share no moving body with joints of other groups. Groups can therefore be
// solved at the same time.
class JointGroup {
 public:
  // Adds a joint. first_impulse is the index of the impulse of its first row. REQUIRES: the joint
  // is not broken, and arrange() was not called.
  void add(const Joint& joint, std::uint32_t first_impulse);
  // Finds the trees, and adds up the frequencies of springs at the same body. Call it when all
  // joints are added.
  void arrange();
  // Returns the number of joints.
  std::size_t size() const { return joints_.size(); }

  // The functions of the same names in JointSet (joints.h), for the joints of this group.
  // `impulses` has the impulses of all joints of the world; a group changes only the impulses of
  // its own joints.
  void begin_tick(std::span<const std::uint32_t> contacts);
  void solve(const Bodies& bodies, const BodyRows& rows, std::span<double> impulses,
             const Substep& step);
  void relax(const Bodies& bodies, const BodyRows& rows, std::span<double> impulses,
             const Substep& step);

 private:
  void sum_frequencies();
  void prepare(const Bodies& bodies, const BodyRows& rows, double h);
  void bound_speeds(const BodyRows& rows, double h) const;
  void take_back(const BodyRows& rows);
  template <class Change>
  void record(const BodyRows& rows, Change change);

  // The velocity and angular velocity of a body, or changes of them.
  struct Motion {
    double at[6];
  };

  std::vector<Joint> joints_;
  std::vector<std::uint32_t> first_impulses_;  // of each joint
  std::vector<double> frequencies_;            // of each joint: argument of JointRows::add()
  std::vector<std::uint32_t> slots_;           // of the bodies of the joints, ascending
  JointRows rows_;  // all rows of joints outside trees; limits, springs and motors of all joints
  JointTrees trees_;
  // The change of motion of each body in slots_ that joints made in this substep.
  std::vector<Motion> changes_;
  bool started_ = false;  // true: this tick has computed rows_ and trees_
};

}  // namespace orrery::physics
