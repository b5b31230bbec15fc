// Builds the spatial tree.
#include "common/physics/shape/spatial_tree.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "common/core/limits.h"

namespace orrery::physics {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr Aabb kEmpty{{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}};

// Bits of a cell number (the cell of a body along one axis). A key holds three cell numbers and the
// size class: 3 * 39 + 6 = 123 bits in two words.
constexpr std::int32_t kCellBits = 39;
constexpr std::int32_t kLowBits = 21;  // bits of each cell number in the low word of a key
static_assert(3 * kLowBits < 64);
static_assert(3 * (kCellBits - kLowBits) + 6 < 64);  // a size class has 6 bits
constexpr std::uint32_t kDigitBits = 11;
constexpr std::uint32_t kDigits = 1u << kDigitBits;

static_assert(sizeof(BoxBlock) == 6 * 64);  // one cache line for each of the six sides
static_assert(sizeof(LeafBlock) == 2 * 64);
static_assert(kFanOut == 8);

// Up to this number of keys a comparison sort is faster than a radix sort.
constexpr std::size_t kComparedMax = 256;

// The fewest blocks of eight boxes worth handing to a thread (parallel_ranges()).
constexpr std::uint32_t kBlocksLeast = 16;
// The fewest keys worth handing to a thread when keys are made, and when they are sorted. Sorting
// needs more keys, because each of its passes clears and sums kDigits numbers for each thread.
constexpr std::uint32_t kKeysLeast = kFanOut * kBlocksLeast;
constexpr std::uint32_t kSortedLeast = 4 * kDigits;

// Returns floor(log2(x)), clamped to [-60, 60], of x >= 0.
constexpr std::int32_t exponent_of(double x) {
  const auto biased = static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff);
  return std::clamp(biased - 1023, -60, 60);
}

// Returns 2^exponent.
constexpr double power_of_two(std::int32_t exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}
static_assert(exponent_of(8) == 3 && exponent_of(0.3) == -2);
static_assert(exponent_of(1e300) == 60 && exponent_of(1e-300) == -60);
static_assert(power_of_two(-3) == 0.125 && power_of_two(10) == 1024);

// Returns the centre of a box, with each coordinate clamped to +-limits::kLengthMax.
Vec3 centre_of(const Aabb& box) {
  const auto middle = [](double lower, double upper) {
    return std::clamp(0.5 * lower + 0.5 * upper, -limits::kLengthMax, limits::kLengthMax);
  };
  return {middle(box.lower.x, box.upper.x), middle(box.lower.y, box.upper.y),
          middle(box.lower.z, box.upper.z)};
}

// Returns the size class of a box, from -30 to 30. Class k holds the boxes with a largest half
// extent from 4^k to 4^(k+1).
std::int32_t size_class(const Aabb& box) {
  const Vec3 size = box.upper - box.lower;
  const double half = 0.5 * std::max(std::max(size.x, size.y), size.z);
  return (exponent_of(half) + 64) / 2 - 32;
}

// Spreads the lowest 21 bits: bit i goes to bit 3i.
constexpr std::uint64_t spread(std::uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffffull;
  x = (x | x << 16) & 0x1f0000ff0000ffull;
  x = (x | x << 8) & 0x100f00f00f00f00full;
  x = (x | x << 4) & 0x10c30c30c30c30c3ull;
  return (x | x << 2) & 0x1249249249249249ull;
}
static_assert(spread(0b1011) == 0b1000001001);
static_assert(std::popcount(spread(0x1fffff)) == 21);

std::uint64_t interleaved(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  return spread(x) | spread(y) << 1 | spread(z) << 2;
}

}  // namespace

void BoxBlock::set(std::uint32_t lane, const Aabb& box) {
  ORRERY_ASSERT(lane < kFanOut);
  lower[0][lane] = box.lower.x;
  lower[1][lane] = box.lower.y;
  lower[2][lane] = box.lower.z;
  upper[0][lane] = box.upper.x;
  upper[1][lane] = box.upper.y;
  upper[2][lane] = box.upper.z;
}

SpatialTree::SpatialTree(std::uint32_t capacity) {
  ORRERY_ASSERT(capacity <= limits::kBodiesMax);
  const std::uint32_t leaves = (capacity + kFanOut - 1) / kFanOut;
  keys_.reserve(capacity);
  sorted_keys_.reserve(capacity);
  leaves_.reserve(leaves);
  blocks_.reserve(leaves + leaves / (kFanOut - 1) + 8);  // 8: each level rounds up
  parts_.reserve(1);
  if (capacity > kComparedMax) next_.reserve(kDigits);
  level_begins_.reserve(8);
}

void SpatialTree::build(std::span<const Proxy> proxies, Executor& executor) {
  ORRERY_ASSERT(proxies.size() <= keys_.capacity());
  level_begins_.clear();
  if (proxies.empty()) return leaves_.clear();
  const Key differing = make_keys(proxies, executor);
  sort_keys(differing, executor);
  make_leaves(proxies, executor);
  make_levels(executor);
  ORRERY_ASSERT(level_begins_.back() + 1 == blocks_.size());  // one root
}

// Makes the keys. Returns the bits in which the keys differ.
SpatialTree::Key SpatialTree::make_keys(std::span<const Proxy> proxies, Executor& executor) {
  ORRERY_ASSERT(!proxies.empty());
  const Split split(executor.width(), static_cast<std::uint32_t>(proxies.size()), kKeysLeast);
  parts_.assign(split.parts, {kEmpty, {}});
  parallel_parts(executor, split, [&](std::uint32_t part, std::uint32_t begin, std::uint32_t end) {
    Aabb world = kEmpty;
    for (std::uint32_t i = begin; i < end; ++i) {
      const Vec3 centre = centre_of(proxies[i].box);
      world = united(world, {centre, centre});
    }
    parts_[part].world = world;
  });
  Aabb world = kEmpty;
  for (const Part& part : parts_) world = united(world, part.world);
  const Vec3 size = world.upper - world.lower;
  const double largest = std::max(std::max(size.x, size.y), size.z);
  const std::int32_t finest = exponent_of(largest) + 1 - kCellBits;
  ORRERY_ASSERT(finest > -128 && finest < 8);
  keys_.resize(proxies.size());
  const Key first = make_key(proxies[0].box, world.lower, finest);
  parallel_parts(executor, split, [&](std::uint32_t part, std::uint32_t begin, std::uint32_t end) {
    Key differing{};
    for (std::uint32_t i = begin; i < end; ++i) {
      keys_[i] = make_key(proxies[i].box, world.lower, finest);
      keys_[i].proxy = i;
      differing.high |= keys_[i].high ^ first.high;
      differing.low |= keys_[i].low ^ first.low;
    }
    parts_[part].differing = differing;
  });
  Key differing{};
  for (const Part& part : parts_) {
    differing.high |= part.differing.high;
    differing.low |= part.differing.low;
  }
  return differing;
}

SpatialTree::Key SpatialTree::make_key(const Aabb& box, const Vec3& origin, std::int32_t finest) {
  const std::int32_t size = size_class(box);
  const double cells = power_of_two(-std::max(2 * size + 1, finest));
  const Vec3 at = cells * (centre_of(box) - origin);
  const auto x = static_cast<std::uint64_t>(at.x);
  const auto y = static_cast<std::uint64_t>(at.y);
  const auto z = static_cast<std::uint64_t>(at.z);
  Key key{static_cast<std::uint64_t>(size + 32) << 54, interleaved(x, y, z), 0};
  if ((x | y | z) >> kLowBits != 0) {
    key.high |= interleaved(x >> kLowBits, y >> kLowBits, z >> kLowBits);
  }
  return key;
}

// Sorts the keys by digits, least significant first, over the bits in which the keys differ. The
// sort is stable, so bodies with equal keys stay in slot order. Up to kComparedMax keys are sorted
// by comparison instead, because each pass of the radix sort visits all kDigits values of a digit.
void SpatialTree::sort_keys(const Key& differing, Executor& executor) {
  ORRERY_ASSERT(!keys_.empty());
  if (keys_.size() <= kComparedMax) {
    std::sort(keys_.begin(), keys_.end());
    return;
  }
  sorted_keys_.resize(keys_.size());
  const auto sort_by = [&](std::uint64_t Key::*word) {
    std::uint64_t bits = differing.*word;
    while (bits != 0) {
      const auto shift = static_cast<std::uint32_t>(std::countr_zero(bits));
      sort_pass(word, shift, executor);
      bits &= ~(std::uint64_t{kDigits - 1} << shift);
    }
  };
  sort_by(&Key::low);
  sort_by(&Key::high);
}

// Sorts the keys by one digit. Keys with equal digits keep their order, even between the ranges of
// different threads.
void SpatialTree::sort_pass(std::uint64_t Key::*word, std::uint32_t shift, Executor& executor) {
  ORRERY_ASSERT(shift < 64);
  ORRERY_ASSERT(sorted_keys_.size() == keys_.size());
  const auto digit = [word, shift](const Key& key) { return key.*word >> shift & (kDigits - 1); };
  const Split split(executor.width(), static_cast<std::uint32_t>(keys_.size()), kSortedLeast);
  next_.assign(std::size_t{split.parts} * kDigits, 0);
  parallel_parts(executor, split, [&](std::uint32_t part, std::uint32_t begin, std::uint32_t end) {
    std::uint32_t* const next = &next_[std::size_t{part} * kDigits];
    for (std::uint32_t i = begin; i < end; ++i) ++next[digit(keys_[i])];
  });
  std::uint32_t sum = 0;
  for (std::uint32_t value = 0; value < kDigits; ++value) {
    for (std::uint32_t part = 0; part < split.parts; ++part) {
      sum += std::exchange(next_[std::size_t{part} * kDigits + value], sum);
    }
  }
  ORRERY_ASSERT(sum == keys_.size());
  parallel_parts(executor, split, [&](std::uint32_t part, std::uint32_t begin, std::uint32_t end) {
    std::uint32_t* const next = &next_[std::size_t{part} * kDigits];
    for (std::uint32_t i = begin; i < end; ++i) sorted_keys_[next[digit(keys_[i])]++] = keys_[i];
  });
  keys_.swap(sorted_keys_);
}

void SpatialTree::make_leaves(std::span<const Proxy> proxies, Executor& executor) {
  ORRERY_ASSERT(keys_.size() == proxies.size());
  ORRERY_ASSERT(level_begins_.empty());
  const auto bodies = static_cast<std::uint32_t>(proxies.size());
  const std::uint32_t leaves = (bodies + kFanOut - 1) / kFanOut;
  leaves_.resize(leaves);
  blocks_.resize(leaves);
  level_begins_.push_back(0);
  parallel_ranges(executor, leaves, kBlocksLeast, [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t leaf = begin; leaf < end; ++leaf) {
      for (std::uint32_t lane = 0; lane < kFanOut; ++lane) {
        const std::uint32_t at = leaf * kFanOut + lane;
        const bool filled = at < bodies;
        const Proxy& proxy = proxies[keys_[filled ? at : 0].proxy];
        blocks_[leaf].set(lane, filled ? proxy.box : kEmpty);
        leaves_[leaf].radius[lane] = filled ? proxy.radius : 0;
        leaves_[leaf].slot[lane] = filled ? proxy.slot : 0;
      }
    }
  });
}

void SpatialTree::make_levels(Executor& executor) {
  ORRERY_ASSERT(blocks_.size() == leaves_.size());
  std::uint32_t below = static_cast<std::uint32_t>(leaves_.size());
  for (std::uint32_t level = 0; below > 1; ++level) {
    const auto first = static_cast<std::uint32_t>(blocks_.size());
    const std::uint32_t count = (below + kFanOut - 1) / kFanOut;
    blocks_.resize(first + count);
    level_begins_.push_back(first);
    parallel_ranges(executor, count, kBlocksLeast, [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin * kFanOut; i < end * kFanOut; ++i) {
        blocks_[first + i / kFanOut].set(i % kFanOut, i < below ? bounds(level, i) : kEmpty);
      }
    });
    below = count;
  }
}

Aabb SpatialTree::bounds(std::uint32_t level, std::uint32_t index) const {
  ORRERY_ASSERT(level < levels());
  const BoxBlock& children = block(level, index);
  Aabb box = children.box(0);
  for (std::uint32_t lane = 1; lane < kFanOut; ++lane) box = united(box, children.box(lane));
  return box;
}

}  // namespace orrery::physics
