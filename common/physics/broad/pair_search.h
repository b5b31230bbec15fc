// Owns the search of two spatial trees for bodies that are near each other.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "common/physics/shape/spatial_tree.h"

namespace orrery::physics {

// Slots of two bodies, a < b.
struct Pair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;

  friend constexpr auto operator<=>(const Pair&, const Pair&) = default;
};

// What a search has found, and its scratch. Grows as it must and keeps its memory.
class PairFinder {
 public:
  void clear() { count_ = 0; }
  std::span<const Pair> pairs() const { return std::span(memory_).first(count_); }
  void truncate(std::size_t count) {
    ORRERY_ASSERT(count <= count_);
    count_ = count;
  }

  // Room for `count` pairs behind the last; extend() says where those that were written end.
  Pair* pair_room(std::size_t count) {
    if (count_ + count > memory_.size()) memory_.resize(2 * (count_ + count));
    return memory_.data() + count_;
  }
  void extend(const Pair* end) { count_ = static_cast<std::size_t>(end - memory_.data()); }

  // Room for `count` numbers of blocks, in one of two lists.
  std::int64_t* room(std::uint32_t list, std::size_t count) {
    if (count > blocks_[list].size()) blocks_[list].resize(2 * count);
    return blocks_[list].data();
  }

 private:
  std::vector<Pair> memory_;
  std::size_t count_ = 0;
  std::vector<std::int64_t> blocks_[2];
};

// Adds every pair of bodies of the tree's leaves [begin, end), and of each of those with a later
// one, whose boxes overlap, and if both are balls, whose balls do. Adds how many that are to
// `found` after every leaf, and ends early once `found` is above `most`.
void find_pairs_within(const SpatialTree& tree, std::uint32_t begin, std::uint32_t end,
                       PairFinder& finder, std::atomic<std::uint64_t>& found, std::uint64_t most);

// The same for bodies of the leaves [begin, end) with all of `others`.
void find_pairs_between(const SpatialTree& tree, std::uint32_t begin, std::uint32_t end,
                        const SpatialTree& others, PairFinder& finder,
                        std::atomic<std::uint64_t>& found, std::uint64_t most);

}  // namespace orrery::physics
