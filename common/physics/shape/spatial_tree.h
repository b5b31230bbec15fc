// Owns the spatial tree: boxes in blocks of eight neighbours, and the blocks in blocks of eight.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "common/core/assert.h"
#include "common/core/executor.h"
#include "common/physics/shape/aabb.h"

namespace orrery::physics {

// What is known of a body where only its place counts.
struct Proxy {
  Aabb box;
  // Of a ball that fills the box; infinite: it is no ball.
  double radius = std::numeric_limits<double>::infinity();
  std::uint32_t slot = 0;
};

inline constexpr std::uint32_t kFanOut = 8;

// Eight boxes, side by side for wide instructions. Lanes without a box have an empty one, from
// infinity to minus infinity, which overlaps nothing.
struct alignas(64) BoxBlock {
  double lower[3][kFanOut];  // [axis][lane]
  double upper[3][kFanOut];

  Aabb box(std::uint32_t lane) const {
    return {{lower[0][lane], lower[1][lane], lower[2][lane]},
            {upper[0][lane], upper[1][lane], upper[2][lane]}};
  }
  void set(std::uint32_t lane, const Aabb& box);
};

// What a leaf knows of its eight bodies besides their boxes.
struct alignas(64) LeafBlock {
  double radius[kFanOut];
  std::uint32_t slot[kFanOut];
};

// A packed R-tree. Bodies are sorted by size, the small ones first, and those of about one size
// along a Z-order curve; every eight that follow one another are a leaf, every eight leaves a node,
// and so on up to one root. No choice is made anywhere, so equal bodies give an equal tree, and
// building it is linear: a radix sort over those bits of the curve in which the bodies differ.
// It is right for any boxes, and fast for any sizes and distances: a body that is far away costs a
// few more passes of the sort, a large one makes a few nodes large.
class SpatialTree {
 public:
  // Allocates for as many bodies as there ever will be.
  explicit SpatialTree(std::uint32_t capacity);

  // Replaces the tree by one of these bodies, ascending in slot, with finite boxes.
  void build(std::span<const Proxy> proxies, Executor& executor);

  bool empty() const { return leaves_.empty(); }
  // Level 0 has the boxes of the bodies; the last level is one block.
  std::uint32_t levels() const { return static_cast<std::uint32_t>(level_begins_.size()); }
  std::span<const LeafBlock> leaves() const { return leaves_; }
  // Lane i of block b of level k > 0 bounds block kFanOut b + i of the level below.
  const BoxBlock& block(std::uint32_t level, std::uint32_t index) const {
    return blocks_[level_begins_[level] + index];
  }
  // Around a whole block.
  Aabb bounds(std::uint32_t level, std::uint32_t index) const;

 private:
  // A place on the curve: the bits of three cell numbers in turn, and above them the size.
  struct Key {
    std::uint64_t high;
    std::uint64_t low;
    std::uint32_t proxy;

    friend auto operator<=>(const Key&, const Key&) = default;
  };

  void make_keys(std::span<const Proxy> proxies, Executor& executor);
  static Key make_key(const Aabb& box, const Vec3& origin, std::int32_t finest);
  void sort_keys();
  void sort_pass(std::uint64_t Key::*word, std::uint32_t shift);
  void make_leaves(std::span<const Proxy> proxies, Executor& executor);
  void make_levels(Executor& executor);

  std::vector<Key> keys_;
  std::vector<Key> sorted_keys_;
  std::vector<LeafBlock> leaves_;
  std::vector<BoxBlock> blocks_;  // of all levels
  std::vector<std::uint32_t> level_begins_;
};

}  // namespace orrery::physics
