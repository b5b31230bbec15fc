// Searches spatial trees for pairs, compiled once per instruction set and chosen at run time. Each
// lane computes alone, without fused operations, so every instruction set finds the same pairs in
// the same order.
#include "common/physics/broad/pair_search.h"

#include <algorithm>
#include <array>
#include <bit>

#include "common/physics/wide/wide_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/physics/broad/pair_search.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "common/physics/wide/wasm_doubles.inl"

#ifndef ORRERY_PAIR_SEARCH_ONCE
#define ORRERY_PAIR_SEARCH_ONCE
namespace orrery::physics {

// For each set of lanes (an 8-bit mask), the numbers of the lanes in the set, ascending. Each
// number takes 4 bits; the lowest lane number is in the lowest bits.
inline constexpr std::array<std::uint32_t, 256> kPackedLanes = [] {
  std::array<std::uint32_t, 256> packed{};
  for (std::uint32_t set = 0; set < packed.size(); ++set) {
    std::uint32_t place = 0;
    for (std::uint32_t lane = 0; lane < kFanOut; ++lane) {
      if (set >> lane & 1) packed[set] |= lane << 4 * place++;
    }
  }
  return packed;
}();
static_assert(kPackedLanes[0b101] == 0x20);
static_assert(kPackedLanes[0xFF] == 0x76543210);

}  // namespace orrery::physics
#endif

HWY_BEFORE_NAMESPACE();
namespace orrery::physics {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using DoubleTag = hn::ScalableTag<double>;
using NumberTag = hn::RebindToSigned<DoubleTag>;
using Doubles = hn::Vec<DoubleTag>;
using DoubleMask = hn::Mask<DoubleTag>;
using Numbers = hn::Vec<NumberTag>;

constexpr std::uint32_t kLanes = static_cast<std::uint32_t>(hn::MaxLanes(DoubleTag()));
static_assert(kFanOut % kLanes == 0);
static_assert(kFanOut == 8);  // a set of lanes is a mask of eight bits

HWY_INLINE Doubles load(const double* from) { return hn::Load(DoubleTag(), from); }
HWY_INLINE Doubles all(double value) { return hn::Set(DoubleTag(), value); }
HWY_INLINE Numbers all(std::int64_t value) { return hn::Set(NumberTag(), value); }
HWY_INLINE Numbers count_from(std::int64_t first) { return hn::Iota(NumberTag(), first); }

// Returns a mask with bit i set if lane i of the given mask is true.
HWY_INLINE std::uint32_t bits_of(DoubleMask mask) {
  std::uint8_t bits[8];  // Highway requires this size
  hn::StoreMaskBits(DoubleTag(), mask, bits);
  return bits[0] & ((1u << kLanes) - 1);
}

HWY_INLINE DoubleMask overlaps_along(const BoxBlock& block, std::uint32_t i, int axis, double lower,
                                     double upper) {
  return hn::And(hn::Le(load(block.lower[axis] + i), all(upper)),
                 hn::Ge(load(block.upper[axis] + i), all(lower)));
}

// Returns a mask with bit i set if the box in lane i of the block overlaps `box`.
HWY_INLINE std::uint32_t overlapping(const BoxBlock& block, const Aabb& box) {
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < kFanOut; i += kLanes) {
    const DoubleMask x = overlaps_along(block, i, 0, box.lower.x, box.upper.x);
    const DoubleMask y = overlaps_along(block, i, 1, box.lower.y, box.upper.y);
    const DoubleMask z = overlaps_along(block, i, 2, box.lower.z, box.upper.z);
    bits |= bits_of(hn::And(hn::And(x, y), z)) << i;
  }
  return bits;
}

// Writes first + i to `out` for every set bit i, ascending, and returns the end of these numbers.
// Always writes kFanOut numbers, without a branch that could be mispredicted. The numbers after the
// returned end mean nothing.
HWY_INLINE std::int64_t* write_lanes(std::int64_t first, std::uint32_t bits, std::int64_t* out) {
  const Numbers packed = all(static_cast<std::int64_t>(kPackedLanes[bits]));
  for (std::uint32_t i = 0; i < kFanOut; i += kLanes) {
    const Numbers places = hn::ShiftLeft<2>(count_from(i));
    const Numbers lanes = hn::And(hn::Shr(packed, places), all(std::int64_t{kFanOut - 1}));
    hn::StoreU(hn::Add(lanes, all(first)), NumberTag(), out + i);
  }
  return out + std::popcount(bits);
}

// Opens blocks of a level: writes the numbers of the lanes in these blocks whose boxes overlap
// `box`. Leaves out lane numbers below `first`. Lane i of block b has the number kFanOut * b + i.
// Above level 0, this number is the index of a block of the level below. Returns the end of the
// numbers written.
std::int64_t* open_blocks(const SpatialTree& tree, std::uint32_t level,
                          std::span<const std::int64_t> blocks, const Aabb& box, std::int64_t first,
                          std::int64_t* HWY_RESTRICT out) {
  for (const std::int64_t index : blocks) {
    const std::int64_t lane = kFanOut * index;
    std::uint32_t bits = overlapping(tree.block(level, static_cast<std::uint32_t>(index)), box);
    bits &= ~0u << std::clamp<std::int64_t>(first - lane, 0, kFanOut);
    out = write_lanes(lane, bits, out);
  }
  return out;
}

// Returns the leaf lanes (kFanOut * leaf + lane) with boxes that overlap `box`, ascending, without
// lanes before `first`.
std::span<const std::int64_t> overlapping_lanes(const SpatialTree& tree, const Aabb& box,
                                                std::int64_t first, PairFinder& finder) {
  std::size_t count = 1;
  std::int64_t* from = finder.room(0, 1);
  std::int64_t* to = nullptr;
  from[0] = 0;  // the root
  for (std::uint32_t level = tree.levels(); level-- > 0;) {
    to = finder.room((tree.levels() - level) % 2, kFanOut * (count + 1));
    const std::int64_t first_here = first >> 3 * level;
    count = static_cast<std::size_t>(
        open_blocks(tree, level, std::span(from, count), box, first_here, to) - to);
    from = to;
  }
  return std::span(from, count);
}

// A leaf whose bodies are being paired with others, and the middles of their boxes.
struct OpenLeaf {
  OpenLeaf(const SpatialTree& tree, std::uint32_t index)
      : boxes(tree.block(0, index)), bodies(tree.leaves()[index]) {
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
      for (std::uint32_t i = 0; i < kFanOut; ++i) {
        middle[axis][i] = 0.5 * (boxes.lower[axis][i] + boxes.upper[axis][i]);
      }
    }
  }

  const BoxBlock& boxes;
  const LeafBlock& bodies;
  HWY_ALIGN double middle[3][kFanOut];
};

// Returns a mask with bit i set if the ball in lane i of the leaf does not overlap the ball with
// this box and radius. A radius is infinite if the body is no ball: the bit is then 0.
HWY_INLINE std::uint32_t balls_apart(const OpenLeaf& leaf, const Aabb& box, double radius) {
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < kFanOut; i += kLanes) {
    const Doubles x = hn::Sub(load(leaf.middle[0] + i), all(0.5 * (box.lower.x + box.upper.x)));
    const Doubles y = hn::Sub(load(leaf.middle[1] + i), all(0.5 * (box.lower.y + box.upper.y)));
    const Doubles z = hn::Sub(load(leaf.middle[2] + i), all(0.5 * (box.lower.z + box.upper.z)));
    const Doubles square = hn::Add(hn::Add(hn::Mul(x, x), hn::Mul(y, y)), hn::Mul(z, z));
    const Doubles reach = hn::Add(load(leaf.bodies.radius + i), all(radius));
    bits |= bits_of(hn::Gt(square, hn::Mul(reach, reach))) << i;
  }
  return bits;
}

// Pairs the bodies in the first `own` lanes of a leaf with the body in a leaf lane of the tree.
// Leaves out bodies that do not overlap that body. Returns the end of the pairs written to `out`.
HWY_INLINE Pair* pair_up(const OpenLeaf& leaf, std::int64_t own, const SpatialTree& tree,
                         std::int64_t lane, Pair* HWY_RESTRICT out) {
  const auto index = static_cast<std::uint32_t>(lane / kFanOut);
  const auto at = static_cast<std::uint32_t>(lane % kFanOut);
  const LeafBlock& bodies = tree.leaves()[index];
  const Aabb box = tree.block(0, index).box(at);
  const std::uint32_t slot = bodies.slot[at];
  std::uint32_t near = (1u << own) - 1;
  near &= overlapping(leaf.boxes, box) & ~balls_apart(leaf, box, bodies.radius[at]);
  for (; near != 0; near &= near - 1) {
    const std::uint32_t other = leaf.bodies.slot[std::countr_zero(near)];
    *out++ = {std::min(other, slot), std::max(other, slot)};
  }
  return out;
}

void find_pairs_within(const SpatialTree& tree, std::uint32_t begin, std::uint32_t end,
                       PairFinder& finder, std::atomic<std::uint64_t>& found, std::uint64_t most) {
  for (std::uint32_t index = begin; index < end; ++index) {
    const OpenLeaf leaf(tree, index);
    const std::int64_t first = std::int64_t{kFanOut} * index;
    const std::size_t before = finder.pairs().size();
    for (const std::int64_t lane : overlapping_lanes(tree, tree.bounds(0, index), first, finder)) {
      // A body of the same leaf is paired only with the bodies in lower lanes.
      const std::int64_t own = std::min<std::int64_t>(lane - first, kFanOut);
      finder.extend(pair_up(leaf, own, tree, lane, finder.pair_room(kFanOut)));
    }
    if (found.fetch_add(finder.pairs().size() - before, std::memory_order_relaxed) > most) return;
  }
}

void find_pairs_between(const SpatialTree& tree, std::uint32_t begin, std::uint32_t end,
                        const SpatialTree& others, PairFinder& finder,
                        std::atomic<std::uint64_t>& found, std::uint64_t most) {
  for (std::uint32_t index = begin; index < end; ++index) {
    const OpenLeaf leaf(tree, index);
    const std::size_t before = finder.pairs().size();
    for (const std::int64_t lane : overlapping_lanes(others, tree.bounds(0, index), 0, finder)) {
      finder.extend(pair_up(leaf, kFanOut, others, lane, finder.pair_room(kFanOut)));
    }
    if (found.fetch_add(finder.pairs().size() - before, std::memory_order_relaxed) > most) return;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace orrery::physics
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orrery::physics {

HWY_EXPORT(find_pairs_within);
HWY_EXPORT(find_pairs_between);

void find_pairs_within(const SpatialTree& tree, std::uint32_t begin, std::uint32_t end,
                       PairFinder& finder, std::atomic<std::uint64_t>& found, std::uint64_t most) {
  ORRERY_ASSERT(begin <= end);
  ORRERY_ASSERT(end <= tree.leaves().size());
  HWY_DYNAMIC_DISPATCH(find_pairs_within)(tree, begin, end, finder, found, most);
}

void find_pairs_between(const SpatialTree& tree, std::uint32_t begin, std::uint32_t end,
                        const SpatialTree& others, PairFinder& finder,
                        std::atomic<std::uint64_t>& found, std::uint64_t most) {
  ORRERY_ASSERT(end <= tree.leaves().size());
  ORRERY_ASSERT(!others.empty());
  HWY_DYNAMIC_DISPATCH(find_pairs_between)(tree, begin, end, others, finder, found, most);
}

}  // namespace orrery::physics
#endif  // HWY_ONCE
