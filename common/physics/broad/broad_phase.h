// Owns the broad phase: which bodies are near enough to touch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/core/executor.h"
#include "common/physics/body/body_index.h"
#include "common/physics/broad/pair_search.h"

namespace orrery::physics {

// Finds the pairs afresh in every tick, from the poses alone: nothing of it belongs to the state of
// a world. Bodies that nothing pushes, fixed and kinematic ones, pair with others alone.
class BroadPhase {
 public:
  // For slots below `capacity`; allocates for these.
  explicit BroadPhase(std::uint32_t capacity);

  // To be called when a body has come or gone, or a fixed one has been moved.
  void bodies_changed() { index_.bodies_changed(); }

  // Finds all pairs of bodies, one of which can be pushed, whose boxes overlap, each enlarged by
  // half of `margin` (length); two balls are a pair if they are at most `margin` apart.
  // shape_of: of each slot below the capacity, or kNoShape.
  void update(const Bodies& bodies, const ShapeSet& shapes, std::span<const std::uint32_t> shape_of,
              double margin, Executor& executor);

  // Of the last update, ascending; the same for every executor.
  std::span<const Pair> pairs() const { return pairs_; }

  // Of a kinematic body and one that is fixed or sleeps, or of two kinematic ones, in no order:
  // nothing comes of them, but what sleeps is to wake when something moves past it.
  std::span<const Pair> unpushed_pairs() const { return unpushed_pairs_; }

  // The places of the bodies at the last update.
  const BodyIndex& index() const { return index_; }

  // False if there were more than limits::kPairsMax pairs of moving bodies, or of moving and fixed
  // ones. The pairs are then that many of them, always the same ones.
  bool complete() const { return complete_; }

 private:
  void find_pairs(Executor& executor);
  void add_unbounded_pairs();
  template <class Search>
  void search(Executor& executor, Search search_leaves);
  void sort_pairs(Executor& executor);

  BodyIndex index_;
  std::vector<PairFinder> finders_;  // one for each part of the work
  std::vector<Pair> unsorted_;
  std::vector<std::uint32_t> next_of_slot_;  // scratch of sort_pairs()
  std::vector<Pair> pairs_;
  std::vector<Pair> unpushed_pairs_;
  bool complete_ = true;
};

}  // namespace orrery::physics
