// Solves rows of joints together, with the response of whole trees to each impulse.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/math/box_problem.h"
#include "common/physics/body/body_rows.h"
#include "common/physics/joints/joint_rows.h"
#include "common/physics/joints/joint_trees.h"

namespace orrery::physics {

// The rows of one island of joints that are solved together: motors, joints that close loops, stiff
// springs, and the limits that are touched. An impulse along a row moves whole trees. Its response
// is the change of all velocities that the impulse makes together with the impulses that hold the
// trees. The matrix of these responses is small and dense. The largest forces of motors, and limits
// that only push, make it a box problem, which is solved directly.
class RowResponses {
 public:
  // The largest number of rows that are solved together. The work grows with its cube.
  static constexpr std::size_t kRowsMax = 128;
  // The largest number of limits and gentle springs that are solved together if an island has no
  // other rows. Dolls have more. If their limits are solved together, heaps of dolls come to rest
  // more slowly (common/DECISIONS.md, "Joints, springs and free rotation").
  static constexpr std::size_t kLimitsMax = 4;

  // Returns true if the rows of an island are solved together. Otherwise they are solved one by one
  // (JointRows). `loops`: whether joints of the island close loops.
  static bool suit(std::span<const JointRows::Row> rows, bool loops);

  // A pass over an island in a substep of length h.
  struct Pass {
    double h;
    bool relaxes;          // false: the solve pass
    bool free;             // no body of the island has a contact
    bool repeats = false;  // not the first time in this substep
  };
  // Solves rows together. The velocities of `bodies` already keep the joints of the trees. The pass
  // changes the velocities of the bodies at the rows only; the caller solves the trees again.
  void solve(std::span<const JointRows::Row> rows, JointTrees& trees, const BodyRows& bodies,
             std::span<double> numbers, const Pass& pass);

 private:
  void find_active(std::span<const JointRows::Row> rows, const BodyRows& bodies,
                   std::span<double> numbers, const Pass& pass);
  void add_active(const JointRows::Row& row, const BodyRows& bodies, double& impulse,
                  const Pass& pass);
  void find_matrix(JointTrees& trees, const BodyRows& bodies);
  void find_columns(std::size_t first, std::size_t count, const BodyRows& bodies);

  // A row in the present pass. Its speed is to become -aim - soft * impulse. Its impulse in this
  // substep is from `least` to `most`, and was `before` when the pass began.
  struct Active {
    const JointRows::Row* row;
    double aim;
    double soft;
    double before;
    double least;
    double most;
    std::size_t first;  // its first element in elements_
  };
  double response(const Active& to, const Active& of, const BodyRows& bodies) const;
  std::vector<Active> active_;
  std::vector<JointTrees::Element> elements_;  // of all active rows
  static constexpr std::size_t kColumns = 4;   // columns of the matrix that are found together
  // By row of a tree: Element::scaled of kColumns active rows. 0 between uses.
  std::vector<double> scaled_;
  std::vector<double> matrix_;  // element (i, j): speed of row i per impulse of row j, j <= i
  std::vector<BoxRow> box_;
  BoxProblem problem_;
};

}  // namespace orrery::physics
