// Declares the kernels that solve trees of joints directly, compiled once per instruction set.
#pragma once

#include <cstdint>

#include "common/physics/body/bodies.h"
#include "common/physics/body/body_rows.h"
#include "common/physics/body/substep.h"
#include "common/physics/joints/tree_plan.h"

namespace orrery::physics {

// Maximum number of lanes in a batch. A batch is a set of trees with equal plans, solved side by
// side, one in each lane. A single tree that is left over gets a batch of one lane.
inline constexpr std::uint32_t kTreeLanes = 8;

// The numbers of a batch are stored by lane: number i of lane k is at i * lanes + k.

// Indices of the numbers of a body in a batch.
struct TreeBody {
  static constexpr std::uint32_t position = 0;
  static constexpr std::uint32_t orientation = 3;
  static constexpr std::uint32_t inverse_mass = 7;
  static constexpr std::uint32_t inverse_inertia = 8;   // world axes: xx, yy, zz, xy, xz, yz
  static constexpr std::uint32_t inverse_moments = 14;  // principal axes
  static constexpr std::uint32_t gravity_scale = 17;
  static constexpr std::uint32_t velocity = 18;
  static constexpr std::uint32_t angular_velocity = 21;
  static constexpr std::uint32_t start_velocity = 24;  // before the solution
  static constexpr std::uint32_t start_angular_velocity = 27;
  static constexpr std::uint32_t next_position = 30;  // after the drift that follows
  static constexpr std::uint32_t next_orientation = 33;
  // See tree_tension.inl. `inverse_inertia` above includes the added inertia.
  static constexpr std::uint32_t own_inverse_inertia = 37;
  static constexpr std::uint32_t added_inertia = 43;
  static constexpr std::uint32_t stiffness = 44;
  static constexpr std::uint32_t ratio = 45;
  static constexpr std::uint32_t count = 46;
};

// Indices of the numbers of a link in a batch. They are constants of its joint.
struct TreeLinkNumbers {
  static constexpr std::uint32_t at_a = 0;  // position, then orientation
  static constexpr std::uint32_t at_b = 7;
  static constexpr std::uint32_t rest = 14;
  static constexpr std::uint32_t count = 15;
};

// Indices of the numbers of the load of a link (JointLoad), in the pass that ran last.
struct TreeLoad {
  static constexpr std::uint32_t impulse = 0;
  static constexpr std::uint32_t angular_impulse = 3;
  static constexpr std::uint32_t count = 6;
};

// Indices of the numbers of a row in a batch. A row is one equation for the speed n.(vB - vA) +
// jB.wB - jA.wA (joint_rows.h).
struct TreeRow {
  static constexpr std::uint32_t n = 0;
  static constexpr std::uint32_t j_a = 3;
  static constexpr std::uint32_t j_b = 6;
  static constexpr std::uint32_t k_a = 9;  // I^-1 j
  static constexpr std::uint32_t k_b = 12;
  static constexpr std::uint32_t error = 15;  // length or angle
  static constexpr std::uint32_t impulse = 16;
  static constexpr std::uint32_t count = 17;
};

// The memory of a batch.
struct TreeBatch {
  const TreePlan* plan;
  std::uint32_t lanes;  // 1 or kTreeLanes
  std::uint32_t used;   // a bit for each lane with a tree
  // The slot of each body in each lane. A lane without a tree repeats the slots of lane 0.
  const std::uint32_t* slots;
  const double* links;  // TreeLinkNumbers::count of each link
  const double* free;   // of each lane: 1 if its tree is free (joint_trees.h), else 0
  const double* taken;  // of each lane: 1 if the next meet_positions() takes half of gravity back
  const double* given;  // of each lane: 1 if project_velocities() adds half of gravity
  const double* kept;   // of each lane: 1 if the pass keeps the added inertia of its bodies
  double* open;         // of each lane: 1 if an error was cut (cut_errors()), else 0
  double* compliance;   // of each lane: of the links that close loops (soften_loops())
  double* energy;       // of each lane: twice that of the tree after its first pass
  bool repeats;         // whether the pass keeps that of all lanes
  bool* stiff;          // becomes true if a body gets added inertia (tree_tension.inl)
  double* bodies;       // TreeBody::count of each body
  double* rows;         // TreeRow::count of each row
  double* entries;      // of the factor, see TreePlan
  double* loads;        // TreeLoad::count of each link; nullptr if no load breaks a joint
};

// Computes the rows of a batch at the present poses, and factors their matrix.
void factor_trees(const Bodies& bodies, const TreeBatch& batch);

// Changes velocities by impulses along the rows of the last factor_trees().
//
// - Free trees: the joints have errors of at most 1e-6 (rad, or of their size) at the end of the
//   drift of length step.h that follows. A linear solution comes first, then Newton's method.
// - Trees with contacts, and free trees for which Newton's method does not converge: a linear
//   solution removes a share of the errors.
//
// Both may add inertia to light bodies under tension (tree_tension.inl), and factor the matrix
// again.
//
// The caller has added the gravity of the substep to the velocities. The pass removes half of it
// from the bodies of trees that were free in the last substep: project_velocities() gave them this
// half already, because RATTLE (tree_passes.cpp) needs it after the drift.
void meet_positions(const BodyRows& rows, const TreeBatch& batch, const Substep& step);

// Removes the speed along the rows of the last factor_trees(), at the start of a substep of length
// h. Finds the inertia that the bodies need, and factors the matrix again if it changes.
void begin_driven(const BodyRows& rows, const TreeBatch& batch, double h);

// Removes the speed along the rows of the last factor_trees(), after the drift. Free trees first
// get the other half of gravity.
void project_velocities(const BodyRows& rows, const TreeBatch& batch, const Substep& step);

}  // namespace orrery::physics
