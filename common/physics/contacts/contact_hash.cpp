// Hashes contacts, compiled once per instruction set.
//
// The hash of a contact starts from its key and colour. Then the impulses are mixed in like the
// words in hash_body(), and for a general contact also the hash of its geometry.
#include <cstddef>

#include "common/physics/body/body_hash.h"
#include "common/physics/contacts/contact_kernels.h"
#include "common/physics/wide/wide_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/physics/contacts/contact_hash.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "common/physics/wide/wasm_doubles.inl"

HWY_BEFORE_NAMESPACE();
namespace orrery::physics {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using DoubleTag = hn::CappedTag<double, kBlockLanes>;
using WordTag = hn::RebindToUnsigned<DoubleTag>;
using Words = hn::Vec<WordTag>;

constexpr std::uint32_t kLanes = static_cast<std::uint32_t>(hn::MaxLanes(DoubleTag()));
static_assert(kBlockLanes % kLanes == 0);
static_assert(kContactPointsMax == 4);  // hash_lanes() lists the points one by one

template <int kRotation>
HWY_INLINE Words rotated(Words words) {
  return hn::RotateRight<(64 - kRotation) % 64>(words);
}

HWY_INLINE Words mixed(Words h) {
  h = hn::Mul(h, hn::Set(WordTag(), kHashMultiplier));
  return hn::Xor(h, hn::ShiftRight<32>(h));
}

HWY_INLINE Words words(const double* from) {
  return hn::BitCast(WordTag(), hn::LoadU(DoubleTag(), from));
}

HWY_INLINE Words take(Words h, Words w0, Words w1, Words w2) {
  h = hn::Add(hn::Xor(h, w0), rotated<kHashRotations[1]>(w1));
  return mixed(hn::Xor(h, rotated<kHashRotations[2]>(w2)));
}

HWY_INLINE Words take(Words h, const Lanes3& v, std::uint32_t lane) {
  return take(h, words(v.x + lane), words(v.y + lane), words(v.z + lane));
}

HWY_INLINE Words seed(const std::uint64_t* keys, std::uint64_t colour) {
  const WordTag d;
  const Words named = hn::Mul(hn::LoadU(d, keys), hn::Set(d, kHashSeed));
  return mixed(hn::Add(named, hn::Set(d, colour * kHashMultiplier + 1)));
}

HWY_INLINE Words hash_lanes(const BallBlock& block, const BallColdBlock& extra,
                            std::uint64_t colour, std::uint32_t lane) {
  Words h = seed(extra.key + lane, colour);
  h = take(h, block.friction_impulse, lane);
  h = take(h, extra.rolling_impulse, lane);
  return mixed(hn::Xor(h, words(block.impulse + lane)));
}

HWY_INLINE Words hash_lanes(const ManifoldBlock& block, const ManifoldColdBlock& extra,
                            std::uint64_t colour, std::uint32_t lane) {
  const PointRow* const p = block.points;
  Words h = seed(extra.key + lane, colour);
  h = take(h, words(p[0].impulse + lane), words(p[1].impulse + lane), words(p[2].impulse + lane));
  h = take(h, block.friction_impulse, lane);
  h = take(h, extra.rolling_impulse, lane);
  h = take(h, words(p[3].impulse + lane), words(block.twist_impulse + lane),
           hn::LoadU(WordTag(), extra.geometry_hash + lane));
  return mixed(h);
}

// Returns the sum of the hashes of the contacts in a range of blocks. The contacts fill the first
// `count` lanes of the view.
template <class View>
HWY_INLINE std::uint64_t hash_view(const View& view, std::uint64_t colour, BlockRange range,
                                   std::uint32_t count) {
  const WordTag d;
  const Words numbers = hn::Iota(d, 0);
  Words sum = hn::Zero(d);
  for (std::uint32_t i = range.begin; i < range.end; ++i) {
    for (std::uint32_t lane = 0; lane < kBlockLanes; lane += kLanes) {
      const std::uint32_t first = i * kBlockLanes + lane;
      if (first >= count) break;
      const auto used = hn::Lt(hn::BitCast(hn::RebindToSigned<WordTag>(), numbers),
                               hn::Set(hn::RebindToSigned<WordTag>(), count - first));
      const Words h = hash_lanes(view.blocks[i], view.extras[i], colour, lane);
      sum = hn::Add(sum, hn::IfThenElseZero(hn::RebindMask(d, used), h));
    }
  }
  HWY_ALIGN std::uint64_t parts[kLanes];
  hn::Store(sum, d, parts);
  std::uint64_t total = 0;
  for (const std::uint64_t part : parts) total += part;
  return total;
}

std::uint64_t hash_round(RoundView view, std::uint64_t colour, BlockRange range,
                         std::uint32_t count) {
  return hash_view(view, colour, range, count);
}

std::uint64_t hash_general(GeneralView view, std::uint64_t colour, BlockRange range,
                           std::uint32_t count) {
  return hash_view(view, colour, range, count);
}

}  // namespace HWY_NAMESPACE
}  // namespace orrery::physics
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orrery::physics {

HWY_EXPORT(hash_round);
HWY_EXPORT(hash_general);

std::uint64_t hash_round(RoundView view, std::uint64_t colour, BlockRange range,
                         std::uint32_t count) {
  ORRERY_ASSERT(range.begin <= range.end);
  ORRERY_ASSERT(colour < kColours);
  ORRERY_ASSERT(range.lane == kBlockLanes);
  return HWY_DYNAMIC_DISPATCH(hash_round)(view, colour, range, count);
}

std::uint64_t hash_general(GeneralView view, std::uint64_t colour, BlockRange range,
                           std::uint32_t count) {
  ORRERY_ASSERT(range.begin <= range.end);
  ORRERY_ASSERT(colour < kColours);
  ORRERY_ASSERT(range.lane == kBlockLanes);
  return HWY_DYNAMIC_DISPATCH(hash_general)(view, colour, range, count);
}

}  // namespace orrery::physics
#endif  // HWY_ONCE
