// Finds pairs of bodies that are near enough to touch: the broad phase.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/core/executor.h"
#include "common/physics/body/body_index.h"
#include "common/physics/broad/pair_search.h"

namespace orrery::physics {

// The broad phase. It finds the pairs anew in every tick, only from the poses, so it is not part of
// the state. Fixed and kinematic bodies pair only with bodies that can be pushed.
class BroadPhase {
 public:
  // Allocates for slots below `capacity`.
  explicit BroadPhase(std::uint32_t capacity);

  // Call it after a body was added or removed, or a fixed body was moved.
  void bodies_changed() { index_.bodies_changed(); }

  // Finds all pairs of bodies with overlapping boxes, each box grown by half of `margin` (length).
  // At least one body of a pair can be pushed. Two balls are a pair if they are at most `margin`
  // apart. A body without a shape is in no pair.
  // REQUIRES: margin >= 0, and shaped.shape_of covers all slots.
  void update(const ShapedBodies& shaped, double margin, Executor& executor);

  // Returns the pairs of the last update, ascending. They are equal for every executor.
  std::span<const Pair> pairs() const { return pairs_; }

  // Returns pairs that cannot collide, in no order: a kinematic body with a fixed, sleeping or
  // kinematic one. They wake a sleeping body when a kinematic one moves past it.
  std::span<const Pair> unpushed_pairs() const { return unpushed_pairs_; }

  // Returns the index of the bodies at the last update.
  const BodyIndex& index() const { return index_; }

  // Returns false if there were more than limits::kPairsMax pairs of moving bodies, of moving and
  // fixed bodies, or of moving bodies and planes. The pairs of that kind are then limited to that
  // number, always the same ones.
  bool complete() const { return complete_; }

 private:
  void find_pairs(Executor& executor);
  void add_unbounded_pairs();
  template <class Search>
  void search(Executor& executor, Search search_leaves);
  void sort_pairs(Executor& executor);

  BodyIndex index_;
  std::vector<PairFinder> finders_;  // one for each range of leaves that a thread searches
  std::vector<Pair> unsorted_;
  std::vector<std::uint32_t> next_of_slot_;  // scratch of sort_pairs()
  std::vector<Pair> pairs_;
  std::vector<Pair> unpushed_pairs_;
  bool complete_ = true;
};

}  // namespace orrery::physics
