// Finds pairs of bodies that are near enough to touch: the broad phase.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/core/executor.h"
#include "common/physics/body/body_index.h"
#include "common/physics/broad/pair_search.h"

namespace orrery::physics {

// The broad phase. It finds the pairs in every tick from the poses only, so it is not part of the
// state. A body can be pushed if its inverse mass is not 0. Fixed, sleeping and kinematic bodies
// cannot be pushed.
class BroadPhase {
 public:
  // Allocates for slots below `capacity`.
  explicit BroadPhase(std::uint32_t capacity);

  // Invalidates the index. Call it after a body was added or removed, fell asleep or woke, or after
  // a fixed body was moved.
  void bodies_changed() { index_.bodies_changed(); }

  // Finds the pairs of a moving body (BodyIndex) and another body whose bounding boxes overlap,
  // each box grown by half of its margin. Two balls are a pair only if they are at most the sum of
  // both halves apart. A body without a shape is in no pair. pairs() then holds the pairs with at
  // least one body that can be pushed. REQUIRES: shaped.shape_of covers all slots.
  void update(const ShapedBodies& shaped, const ContactMargin& margin, Executor& executor);

  // Returns the pairs of the last update, ascending. They are equal for every executor.
  std::span<const Pair> pairs() const { return pairs_; }

  // Returns the near pairs of a kinematic body with a fixed, sleeping or kinematic one, in any
  // order. They need no contacts, but a sleeping body must wake when a kinematic one moves past it.
  std::span<const Pair> unpushed_pairs() const { return unpushed_pairs_; }

  // Returns the index of the bodies at the last update.
  const BodyIndex& index() const { return index_; }

  // Returns false if one of three kinds has more than limits::kPairsMax pairs: a moving body with
  // another moving body, with a bounded fixed body, or with an unbounded fixed body. The pairs of
  // that kind are then limited to this number; they are equal for every executor.
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
