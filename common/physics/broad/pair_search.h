// Searches one or two spatial trees for pairs of near bodies.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "common/physics/shape/spatial_tree.h"

namespace orrery::physics {

// The slots of two bodies, a < b.
struct Pair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;

  friend constexpr auto operator<=>(const Pair&, const Pair&) = default;
};

// The results and the scratch memory of a search. The memory grows as needed and is kept.
class PairFinder {
 public:
  // Forgets the pairs found so far.
  void clear() { count_ = 0; }
  // Returns the pairs found so far.
  std::span<const Pair> pairs() const { return std::span(memory_).first(count_); }
  // Keeps the first `count` pairs.
  // REQUIRES: count <= pairs().size().
  void truncate(std::size_t count) {
    ORRERY_ASSERT(count <= count_);
    count_ = count;
  }

  // Returns room for `count` pairs after the last one. After writing some, call extend().
  Pair* pair_room(std::size_t count) {
    if (count_ + count > memory_.size()) memory_.resize(2 * (count_ + count));
    return memory_.data() + count_;
  }
  // Adds the pairs written to the room from pair_room(), up to `end`.
  void extend(const Pair* end) { count_ = static_cast<std::size_t>(end - memory_.data()); }

  // Returns room for `count` numbers of blocks or lanes in scratch list 0 or 1.
  std::int64_t* room(std::uint32_t list, std::size_t count) {
    if (count > blocks_[list].size()) blocks_[list].resize(2 * count);
    return blocks_[list].data();
  }

 private:
  std::vector<Pair> memory_;
  std::size_t count_ = 0;
  std::vector<std::int64_t> blocks_[2];
};

// Finds all pairs of a body in the leaves [begin, end) of the tree and a later body, in the same
// leaf or in a later leaf. Two bodies are a pair if their boxes overlap. If both are balls, the
// balls must overlap too. After every leaf, adds the number of its pairs to `found`, which several
// searches may share. Stops after a leaf if `found` was above `most` before this addition.
void find_pairs_within(const SpatialTree& tree, std::uint32_t begin, std::uint32_t end,
                       PairFinder& finder, std::atomic<std::uint64_t>& found, std::uint64_t most);

// Finds all pairs of a body in the leaves [begin, end) of the tree and a body of `others`, by the
// rules of find_pairs_within().
// REQUIRES: `others` is not empty.
void find_pairs_between(const SpatialTree& tree, std::uint32_t begin, std::uint32_t end,
                        const SpatialTree& others, PairFinder& finder,
                        std::atomic<std::uint64_t>& found, std::uint64_t most);

}  // namespace orrery::physics
