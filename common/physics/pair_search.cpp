// Owns the search for pairs, compiled once for each instruction set; the best that the processor
// has is called. It only compares numbers, so all of them find the same pairs, in the same order.
#include "common/physics/pair_search.h"

#include <bit>

// As in physics/drift.cpp.
#if defined(__arm__)
#define HWY_DISABLED_TARGETS HWY_NEON
#else
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_WASM | HWY_WASM_EMU256)
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/physics/pair_search.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace orrery {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using DoubleTag = hn::ScalableTag<double>;
using Wide = hn::Vec<DoubleTag>;
using WideMask = hn::Mask<DoubleTag>;

constexpr std::uint32_t kLanes = static_cast<std::uint32_t>(hn::MaxLanes(DoubleTag()));
constexpr std::uint32_t kAllLanes = (1u << kFanOut) - 1;
static_assert(kFanOut % kLanes == 0);
static_assert(kFanOut == 8);  // the bits of one byte

HWY_INLINE Wide load(const double* from) { return hn::Load(DoubleTag(), from); }
HWY_INLINE Wide all(double value) { return hn::Set(DoubleTag(), value); }

// Bit i is set for lane i.
HWY_INLINE std::uint32_t bits_of(WideMask mask) {
  std::uint8_t bits[8];  // as many as Highway asks for
  hn::StoreMaskBits(DoubleTag(), mask, bits);
  return bits[0] & ((1u << kLanes) - 1);
}

HWY_INLINE WideMask overlaps_along(const BoxBlock& block, std::uint32_t i, int axis, double lower,
                                   double upper) {
  return hn::And(hn::Le(load(block.lower[axis] + i), all(upper)),
                 hn::Ge(load(block.upper[axis] + i), all(lower)));
}

// Bit i is set if the box in lane i overlaps this one.
HWY_INLINE std::uint32_t overlapping(const BoxBlock& block, const Aabb& box) {
  std::uint32_t result = 0;
  for (std::uint32_t i = 0; i < kFanOut; i += kLanes) {
    const WideMask x = overlaps_along(block, i, 0, box.lower.x, box.upper.x);
    const WideMask y = overlaps_along(block, i, 1, box.lower.y, box.upper.y);
    const WideMask z = overlaps_along(block, i, 2, box.lower.z, box.upper.z);
    result |= bits_of(hn::And(hn::And(x, y), z)) << i;
  }
  return result;
}

HWY_INLINE Wide distance_along(const BoxBlock& block, std::uint32_t i, int axis, double lower,
                               double upper) {
  const Wide half = all(0.5);
  const Wide middle =
      hn::Mul(half, hn::Add(load(block.lower[axis] + i), load(block.upper[axis] + i)));
  return hn::Sub(middle, all(0.5 * (lower + upper)));
}

// Bit i is set if lane i is a ball and apart from the ball of this radius that fills this box.
HWY_INLINE std::uint32_t balls_apart(const BoxBlock& block, const LeafBlock& leaf, const Aabb& box,
                                     double radius) {
  std::uint32_t result = 0;
  for (std::uint32_t i = 0; i < kFanOut; i += kLanes) {
    const Wide x = distance_along(block, i, 0, box.lower.x, box.upper.x);
    const Wide y = distance_along(block, i, 1, box.lower.y, box.upper.y);
    const Wide z = distance_along(block, i, 2, box.lower.z, box.upper.z);
    const Wide square = hn::Add(hn::Add(hn::Mul(x, x), hn::Mul(y, y)), hn::Mul(z, z));
    const Wide other = load(leaf.radius + i);
    const Wide reach = hn::Add(other, all(radius));
    const WideMask ball = hn::Ge(other, hn::Zero(DoubleTag()));
    result |= bits_of(hn::And(ball, hn::Gt(square, hn::Mul(reach, reach)))) << i;
  }
  return result;
}

// A leaf of a tree with all that a search asks of it.
struct Leaf {
  Leaf(const SpatialTree& tree, std::uint32_t index)
      : boxes(tree.block(0, index)), bodies(tree.leaves()[index]) {}

  const BoxBlock& boxes;
  const LeafBlock& bodies;
};

// Writes the pairs of the lanes `others` of the one leaf with those of the other leaf; of a leaf
// with itself, with the lanes after each. Returns the end of what it wrote.
HWY_INLINE Pair* pair_up(const Leaf& first, const Leaf& second, std::uint32_t lanes, bool same,
                         Pair* HWY_RESTRICT out) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    const Aabb box = second.boxes.box(lane);
    const double radius = second.bodies.radius[lane];
    std::uint32_t near = overlapping(first.boxes, box);
    if (same) near &= (1u << lane) - 1;
    if (near != 0 && radius >= 0) near &= ~balls_apart(first.boxes, first.bodies, box, radius);
    const std::uint32_t slot = second.bodies.slot[lane];
    for (; near != 0; near &= near - 1) {
      const std::uint32_t other = first.bodies.slot[std::countr_zero(near)];
      *out++ = other < slot ? Pair{other, slot} : Pair{slot, other};
    }
  }
  return out;
}

// Goes through the leaves of a tree whose boxes overlap a box, in ascending order.
class LeafWalk {
 public:
  // Leaves below `first` are left out.
  LeafWalk(const SpatialTree& tree, const Aabb& box, std::uint32_t first)
      : tree_(tree), box_(box), first_(first) {
    ORRERY_ASSERT(!tree.empty());
    ORRERY_ASSERT(tree.levels() <= kLevelsMax);
    if (tree.levels() == 1) {
      only_leaf_ = first == 0;
    } else {
      enter(tree.levels() - 1, 0);
    }
  }

  // The next leaf; false if there is none.
  bool next(std::uint32_t& leaf) {
    if (only_leaf_) {
      only_leaf_ = false;
      leaf = 0;
      return true;
    }
    while (depth_ > 0) {
      Open& node = open_[depth_ - 1];
      if (node.lanes == 0) {
        --depth_;
        continue;
      }
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(node.lanes));
      node.lanes &= node.lanes - 1;
      const std::uint32_t child = kFanOut * node.index + lane;
      leaf = child;
      if (node.level == 1) return true;
      enter(node.level - 1, child);
    }
    return false;
  }

 private:
  static constexpr std::uint32_t kLevelsMax = 8;  // of 2^20 bodies: 7

  struct Open {
    std::uint32_t level;
    std::uint32_t index;
    std::uint32_t lanes;  // children that are still to be seen
  };

  HWY_INLINE void enter(std::uint32_t level, std::uint32_t index) {
    // The child that the first leaf belongs to.
    const std::uint32_t child = first_ >> 3 * (level - 1);
    const std::uint32_t begin = kFanOut * index;
    const std::uint32_t skipped = child > begin ? child - begin : 0;
    std::uint32_t lanes = overlapping(tree_.block(level, index), box_);
    lanes &= skipped < kFanOut ? kAllLanes << skipped : 0;
    open_[depth_++] = {level, index, lanes};
  }

  const SpatialTree& tree_;
  const Aabb box_;
  const std::uint32_t first_;
  bool only_leaf_ = false;
  std::uint32_t depth_ = 0;
  Open open_[kLevelsMax];
};

// Pairs the leaf with those of the tree from `first` on.
HWY_INLINE void pair_leaf(const Leaf& leaf, const Aabb& box, const SpatialTree& tree,
                          std::uint32_t first, PairList& out) {
  LeafWalk walk(tree, box, first);
  for (std::uint32_t index = 0; walk.next(index);) {
    const Leaf other(tree, index);
    const std::uint32_t lanes = overlapping(other.boxes, box);
    Pair* const room = out.room(kFanOut * kFanOut);
    out.extend(static_cast<std::size_t>(pair_up(leaf, other, lanes, false, room) - room));
  }
}

void find_pairs_within(const SpatialTree& tree, std::uint32_t begin, std::uint32_t end,
                       PairList& out, std::atomic<std::uint64_t>& found, std::uint64_t most) {
  for (std::uint32_t index = begin; index < end; ++index) {
    const Leaf leaf(tree, index);
    const std::size_t before = out.size();
    Pair* const room = out.room(kFanOut * kFanOut);
    out.extend(static_cast<std::size_t>(pair_up(leaf, leaf, kAllLanes, true, room) - room));
    pair_leaf(leaf, tree.bounds(0, index), tree, index + 1, out);
    if (found.fetch_add(out.size() - before, std::memory_order_relaxed) > most) return;
  }
}

void find_pairs_between(const SpatialTree& tree, std::uint32_t begin, std::uint32_t end,
                        const SpatialTree& others, PairList& out, std::atomic<std::uint64_t>& found,
                        std::uint64_t most) {
  for (std::uint32_t index = begin; index < end; ++index) {
    const std::size_t before = out.size();
    pair_leaf(Leaf(tree, index), tree.bounds(0, index), others, 0, out);
    if (found.fetch_add(out.size() - before, std::memory_order_relaxed) > most) return;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace orrery
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orrery {

HWY_EXPORT(find_pairs_within);
HWY_EXPORT(find_pairs_between);

void find_pairs_within(const SpatialTree& tree, std::uint32_t begin, std::uint32_t end,
                       PairList& out, std::atomic<std::uint64_t>& found, std::uint64_t most) {
  ORRERY_ASSERT(begin <= end);
  ORRERY_ASSERT(end <= tree.leaves().size());
  HWY_DYNAMIC_DISPATCH(find_pairs_within)(tree, begin, end, out, found, most);
}

void find_pairs_between(const SpatialTree& tree, std::uint32_t begin, std::uint32_t end,
                        const SpatialTree& others, PairList& out, std::atomic<std::uint64_t>& found,
                        std::uint64_t most) {
  ORRERY_ASSERT(end <= tree.leaves().size());
  ORRERY_ASSERT(!others.empty());
  HWY_DYNAMIC_DISPATCH(find_pairs_between)(tree, begin, end, others, out, found, most);
}

}  // namespace orrery
#endif  // HWY_ONCE
