// Owns the search of two spatial trees for bodies that are near each other.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "common/physics/spatial_tree.h"

namespace orrery {

// Slots of two bodies, a < b.
struct Pair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;

  friend constexpr auto operator<=>(const Pair&, const Pair&) = default;
};

// A list that grows by doubling and keeps its memory.
class PairList {
 public:
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  std::span<const Pair> pairs() const { return std::span(memory_).first(size_); }

  // Room for `count` more behind the last; extend() says how many were written.
  Pair* room(std::size_t count) {
    if (size_ + count > memory_.size()) memory_.resize(2 * (size_ + count));
    return memory_.data() + size_;
  }
  void extend(std::size_t count) {
    ORRERY_ASSERT(size_ + count <= memory_.size());
    size_ += count;
  }
  void truncate(std::size_t size) {
    ORRERY_ASSERT(size <= size_);
    size_ = size;
  }

 private:
  std::vector<Pair> memory_;
  std::size_t size_ = 0;
};

// Adds every pair of bodies of the tree's leaves [begin, end), and of each of those with a later
// one, whose boxes overlap, and if both are balls, whose balls do. Adds how many that are to
// `found` after every leaf, and ends early once `found` is above `most`.
void find_pairs_within(const SpatialTree& tree, std::uint32_t begin, std::uint32_t end,
                       PairList& out, std::atomic<std::uint64_t>& found, std::uint64_t most);

// The same for bodies of the leaves [begin, end) with all of `others`.
void find_pairs_between(const SpatialTree& tree, std::uint32_t begin, std::uint32_t end,
                        const SpatialTree& others, PairList& out, std::atomic<std::uint64_t>& found,
                        std::uint64_t most);

}  // namespace orrery
