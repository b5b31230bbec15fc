// Plans the direct solution of joints that form trees: the order of the joints, and which numbers
// of the factor of their matrix are not zero.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/physics/joints/joint.h"

namespace orrery::physics {

// A joint of a tree, between two of the tree's bodies (indices into the list of its bodies).
struct TreeLink {
  JointKind kind;
  std::uint32_t a;
  std::uint32_t b;
  std::uint32_t first_row;  // its rows follow each other
  std::uint32_t rows;
  std::uint32_t lengths;  // number of rows with errors that are lengths; they come first
  bool closes;            // whether it closes a loop
  friend bool operator==(const TreeLink&, const TreeLink&) = default;
};

// Two links that share a body that moves. Their rows are coupled. Two links that share two such
// bodies have two couplings.
struct TreeCoupling {
  std::uint32_t link;   // the link that is eliminated first
  std::uint32_t other;  // the link that is eliminated later
  std::uint32_t body;   // the body that they share
  double sign;          // 1: the body is on the same side of both links (a or b), else -1
  // Number of entries between the rows of `link` and the rows of `other` in a column of the factor.
  std::uint32_t offset;
};

// The structure of a tree or net of joints, without masses, poses and settings. A net is a tree
// with more links, which close loops. Trees and nets with equal plans are solved side by side. A
// body "moves" if forces can move it (Joint::a_moves, b_moves). Anchors and kinematic bodies do
// not.
//
// With J the rows of all joints and M the masses and inertias, the impulses of the joints solve
// A p = e, where A = J M^-1 J^T. Entry (i, j) of A is nonzero only if the joints of both rows share
// a body that moves. If joints are eliminated from the leaves of the tree to its root, A = L D L^T
// has the same nonzero entries in L (D. Baraff, Linear-Time Dynamics using Lagrange Multipliers,
// SIGGRAPH 1996). A column of L is stored from its diagonal down, without zeros. In a net, L has
// more entries than A. The links with the fewest neighbours are eliminated first, which adds few.
struct TreePlan {
  std::vector<TreeLink> links;          // in the order of elimination: from the leaves to the root
  std::vector<TreeCoupling> couplings;  // by link, ascending
  std::vector<std::uint32_t> columns;   // index of each column's first entry, then of the end
  std::vector<std::uint32_t> entry_rows;  // row of each entry
  // The elimination of a column subtracts products from entries of later columns. A later column of
  // the same link has the last rows of the link's first column, so the code finds its entries by
  // counting. For the columns of other links, this list has the index of each such entry: for each
  // link, take the rows of its later neighbours; for each pair k <= l of these rows, the list has
  // the index of the entry at (l, k).
  std::vector<std::uint32_t> updated;
  std::vector<std::uint8_t> moves;  // of each body: 1 if it moves, else 0
  std::uint32_t bodies = 0;
  std::uint32_t rows = 0;
  bool closes = false;  // whether a link closes a loop
  bool loose = false;   // whether joints that close loops of these bodies are left out
  // Where the forces of a link act, as a share of the way between its points, from each point. In
  // trees of which all bodies move, they act in the middle: angular momentum stays. Nets would gain
  // energy, because their joints open far.
  double middle = 0;
};

// Trees of joints with the same plan.
struct TreeGroup {
  TreePlan plan;
  std::vector<std::uint32_t> slots;   // tree by tree: the slots of its bodies
  std::vector<std::uint32_t> joints;  // tree by tree: the joints of its links
  std::uint32_t trees = 0;
};

// Maximum number of joints of one moving body that are solved directly. The work grows with the
// square of this number.
inline constexpr std::uint32_t kDirectJointsMax = 8;
// Maximum number of rows that close loops in a net. It has room for a square net of 7 x 7 balls on
// ball joints. One of 20 x 20 would take 44 ms a tick.
inline constexpr std::uint32_t kNetClosingRowsMax = 128;

// Finds trees and nets of joints, and groups them by plan. A joint is left out if it
//
// - has no hold_rows(),
// - belongs to a body that moves and already has kDirectJointsMax joints in trees,
// - closes a loop of a net with more than kNetClosingRowsMax rows that do. The other joints of this
//   net are loose trees then. All bodies that do not move count as one body here.
//
// Joints that close no loop take precedence, then earlier elements of `joints`. REQUIRES: no joint
// is broken.
std::vector<TreeGroup> group_trees(std::span<const Joint> joints);

}  // namespace orrery::physics
