// Solves a group of joints, which shares no moving body with other groups.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/physics/body/bodies.h"
#include "common/physics/body/body_rows.h"
#include "common/physics/joints/joint.h"
#include "common/physics/joints/joint_rows.h"
#include "common/physics/joints/joint_trees.h"
#include "common/physics/joints/row_responses.h"

namespace orrery::physics {

// Joints of a world that share no moving body with joints of other groups. Groups can therefore be
// solved at the same time.
class JointGroup {
 public:
  // Adds the joint with this index in JointSet. `first` is the index of its first number in the
  // state. REQUIRES: the joint is not broken, and arrange() was not called.
  void add(const Joint& joint, std::uint32_t index, std::uint32_t first);
  // Finds the trees, and adds up the frequencies of springs at the same body. Call it when all
  // joints are added.
  void arrange();
  // Replaces the settings of the joint with this index in JointSet, if it is one of this group.
  // REQUIRES: its rows stay alike.
  void change(std::uint32_t index, const JointSettings& settings);

  // The functions of the same names in JointSet (joints.h), for the joints of this group.
  // `numbers` and `flags` are the state of all joints of the world; a group changes only that of
  // its own joints.
  void begin_tick(std::span<const std::uint32_t> contacts, std::span<std::uint8_t> flags);
  void solve(const Bodies& bodies, const BodyRows& rows, std::span<double> numbers,
             const Substep& step);
  void relax(const Bodies& bodies, const BodyRows& rows, std::span<double> numbers,
             const Substep& step);
  // Runs JointSet::project(). Islands with no body in
  // `slots` that moves are left out.
  void project(const Bodies& bodies, const BodyRows& rows, std::span<double> numbers,
               std::span<const std::uint32_t> slots, SolverBody* before, double h);
  void repeat(const BodyRows& rows, std::span<double> numbers, const Substep& step);
  // Appends the indices in JointSet of the joints that their mean load in a tick of this length
  // breaks.
  void find_overloaded(double tick, std::vector<std::uint32_t>& overloaded) const;
  void take_out(const BodyRows& rows);

 private:
  void sum_frequencies();
  void sort_by_island();
  void add_rows(const Bodies& bodies, const BodyRows& rows, std::span<double> numbers, double h);
  void prepare(const Bodies& bodies, const BodyRows& rows, std::span<double> numbers, double h);
  void bound_speeds(const BodyRows& rows, double h) const;
  std::span<const JointRows::Row> rows_of(std::size_t island) const;
  void solve_rows(const BodyRows& rows, std::span<double> numbers, double h);
  bool suits(std::size_t island) const;
  bool repeats_rows(std::size_t island) const;
  template <class Change>
  void record(const BodyRows& rows, Change change);

  // The velocity and angular velocity of a body, or changes of them.
  struct Motion {
    double at[6];
  };

  std::vector<Joint> joints_;
  std::vector<std::uint32_t> indices_;  // of each joint in JointSet
  std::vector<std::uint32_t> first_;    // of each joint: index of its first number
  std::vector<double> frequencies_;     // of each joint: argument of JointRows::add()
  std::vector<std::uint32_t> slots_;    // of the bodies of the joints, ascending
  std::vector<std::uint32_t> islands_;  // of each joint; the joints are sorted by it
  // Of each island.
  struct {
    std::vector<std::size_t> rows;    // index of its first row; then the number of all rows
    std::vector<std::uint8_t> free;   // 1 if no body has a contact, else 0
    std::vector<std::uint8_t> loops;  // 1 if joints close loops, else 0
  } island_;
  std::vector<JointLoad> loads_;  // of each joint in this tick; empty if none can break
  RowResponses responses_;
  JointRows rows_;  // all rows of joints outside trees; limits, springs and motors of all joints
  JointTrees trees_;
  // The change of motion of each body in slots_ that joints made since take_out().
  std::vector<Motion> changes_;
  // The rows that take part in an impact, and their impulses.
  struct {
    std::vector<JointRows::Row> rows;
    std::vector<double> impulses;
  } hit_;
  bool started_ = false;  // true: this tick has computed rows_ and trees_
  bool relaxes_ = false;  // whether the last pass was relax()
};

}  // namespace orrery::physics
