// Owns the broad phase: which bodies are near enough to touch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/core/executor.h"
#include "common/physics/bodies.h"
#include "common/physics/pair_search.h"
#include "common/physics/shape.h"
#include "common/physics/spatial_tree.h"

namespace orrery {

// Finds the pairs afresh in every tick, from the poses alone: nothing of it belongs to the state of
// a world. Bodies without inverse mass are fixed: they pair with moving ones alone, and have a tree
// of their own that stays from tick to tick.
class BroadPhase {
 public:
  // For slots below `capacity`; allocates for these.
  explicit BroadPhase(std::uint32_t capacity);

  // To be called when a body has come or gone, or a fixed one has been moved.
  void bodies_changed() { bodies_known_ = false; }

  // Finds all pairs of bodies, one of them moving at least, whose boxes overlap, each enlarged by
  // half of `margin` (length); two balls are a pair if they are at most `margin` apart.
  // shape_of: of each slot below the capacity, or kNoShape.
  void update(const Bodies& bodies, const ShapeSet& shapes, std::span<const std::uint32_t> shape_of,
              double margin, Executor& executor);

  // Of the last update, ascending; the same for every executor.
  std::span<const Pair> pairs() const { return pairs_; }

  // False if there were more than limits::kPairsMax pairs of moving bodies, or of moving and fixed
  // ones. The pairs are then that many of them, always the same ones.
  bool complete() const { return complete_; }

 private:
  // A fixed body without bounds, such as a plane.
  struct Unbounded {
    std::uint32_t slot;
    bool half_space;  // else it is near everything
    Vec3 normal;      // of the half space, outward
    double offset;    // its points have normal . x <= offset
  };

  void list_bodies(const Bodies& bodies, const ShapeSet& shapes,
                   std::span<const std::uint32_t> shape_of, double margin, Executor& executor);
  void find_pairs(Executor& executor);
  void add_unbounded_pairs();
  template <class Search>
  void search(Executor& executor, Search search_leaves);
  void sort_pairs();

  std::vector<std::uint32_t> moving_slots_;  // ascending
  std::vector<Proxy> moving_;
  std::vector<Proxy> fixed_;
  std::vector<Unbounded> unbounded_;
  SpatialTree moving_tree_;
  SpatialTree fixed_tree_;
  std::vector<PairFinder> finders_;  // one for each part of the work
  std::vector<Pair> unsorted_;
  std::vector<std::uint32_t> next_of_slot_;  // scratch of sort_pairs()
  std::vector<Pair> pairs_;
  bool bodies_known_ = false;
  bool complete_ = true;
};

}  // namespace orrery
