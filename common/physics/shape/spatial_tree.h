// Builds a packed R-tree over boxes, with eight children per node.
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

// A body and its bounds, for a spatial tree. In the tree of a mesh it is a triangle, and `slot` is
// the index of the triangle.
struct Proxy {
  Aabb box;
  // Radius of the ball that the box bounds; infinite if the body is no ball.
  double radius = std::numeric_limits<double>::infinity();
  std::uint32_t slot = 0;
};

inline constexpr std::uint32_t kFanOut = 8;

// Eight boxes, laid out side by side for vector instructions. An unused lane holds an empty box,
// with `lower` infinity and `upper` minus infinity, which overlaps nothing.
struct alignas(64) BoxBlock {
  double lower[3][kFanOut];  // [axis][lane]
  double upper[3][kFanOut];

  Aabb box(std::uint32_t lane) const {
    return {{lower[0][lane], lower[1][lane], lower[2][lane]},
            {upper[0][lane], upper[1][lane], upper[2][lane]}};
  }
  void set(std::uint32_t lane, const Aabb& box);
};

// The data of up to eight bodies of a leaf, without their boxes.
struct alignas(64) LeafBlock {
  double radius[kFanOut];
  std::uint32_t slot[kFanOut];
};

// A packed R-tree. Bodies are sorted by size class, small ones first, and within a class along a
// Z-order curve. Every eight consecutive bodies form a leaf, every eight leaves a node, up to a
// single root. Nothing depends on threads or on earlier trees, and ties keep the order of slots.
// Equal bodies therefore give an equal tree. Building takes linear time: a radix sort over the bits
// of the keys that are not the same in all bodies.
//
// The tree is correct for any finite boxes, and fast for any sizes and distances. A distant body
// costs a few more passes of the sort, and a large body enlarges a few nodes.
class SpatialTree {
 public:
  // Allocates memory for `capacity` bodies. build() allocates only when more threads than before
  // share the work.
  explicit SpatialTree(std::uint32_t capacity);

  // Rebuilds the tree.
  // REQUIRES: the proxies ascend by slot, their boxes are finite, and there are at most `capacity`.
  void build(std::span<const Proxy> proxies, Executor& executor);

  // Returns true if the tree holds no body.
  bool empty() const { return leaves_.empty(); }
  // Returns the number of levels. Level 0 holds the boxes of the bodies; the last level is one
  // block.
  std::uint32_t levels() const { return static_cast<std::uint32_t>(level_begins_.size()); }
  std::span<const LeafBlock> leaves() const { return leaves_; }
  // Returns a block of a level. For a level k > 0, lane i of block b is the box around block
  // kFanOut * b + i of level k - 1.
  const BoxBlock& block(std::uint32_t level, std::uint32_t index) const {
    return blocks_[level_begins_[level] + index];
  }
  // Returns the box around all lanes of a block.
  Aabb bounds(std::uint32_t level, std::uint32_t index) const;

 private:
  // A sort key. Its highest bits are the size class. The bits below are the interleaved bits of the
  // x, y and z cell numbers of the body: its position on the Z-order curve.
  struct Key {
    std::uint64_t high;
    std::uint64_t low;
    std::uint32_t proxy;

    friend auto operator<=>(const Key&, const Key&) = default;
  };

  // The result of one thread of make_keys().
  struct Part {
    Aabb world;     // around the centres of its boxes
    Key differing;  // bits in which its keys and the first key differ
  };

  Key make_keys(std::span<const Proxy> proxies, Executor& executor);
  static Key make_key(const Aabb& box, const Vec3& origin, std::int32_t finest);
  void sort_keys(const Key& differing, Executor& executor);
  void sort_pass(std::uint64_t Key::*word, std::uint32_t shift, Executor& executor);
  void make_leaves(std::span<const Proxy> proxies, Executor& executor);
  void make_levels(Executor& executor);

  std::vector<Key> keys_;
  std::vector<Key> sorted_keys_;
  std::vector<Part> parts_;
  // where a sort pass puts the next key, for each thread and digit
  std::vector<std::uint32_t> next_;
  std::vector<LeafBlock> leaves_;
  std::vector<BoxBlock> blocks_;  // all levels
  std::vector<std::uint32_t> level_begins_;
};

}  // namespace orrery::physics
