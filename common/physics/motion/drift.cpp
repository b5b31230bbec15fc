// Implements the drift as vector kernels, compiled once per instruction set and chosen at run time.
//
// All instruction sets give equal bits. Each lane computes exactly the operations of
// rotate_freely() (integrate/rotation.h) and hash_body(). Lanes meet only in the sum of the hashes,
// which are integers.
#include "common/physics/motion/drift.h"

#include "common/physics/body/body_rows.h"
#include "common/physics/wide/wide_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/physics/motion/drift.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "common/physics/wide/wasm_doubles.inl"

HWY_BEFORE_NAMESPACE();
namespace orrery::physics {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using DoubleTag = hn::ScalableTag<double>;
using WordTag = hn::RebindToUnsigned<DoubleTag>;
using Words = hn::Vec<WordTag>;

constexpr std::uint32_t kLanes = static_cast<std::uint32_t>(hn::MaxLanes(DoubleTag()));
constexpr std::uint32_t kTile = limits::kTileBodies;
static_assert(kTile % kLanes == 0);
static_assert(kHashMultiplier % 2 == 1 && kHashSeed % 2 == 1);  // even factors would lose bits
static_assert(kStateFields == 13);  // hash_tile() seeds with w[12] and mixes 4 x 3 more words

#include "common/integrate/cayley.inl"
#include "common/physics/wide/wide.inl"

using Numbers = Wide<DoubleTag>;

// Returns the values of a field for the bodies of a tile.
HWY_INLINE double* part(Bodies& bodies, BodyField field, std::uint32_t tile) {
  return bodies.field(field) + std::size_t{tile} * kTile;
}
HWY_INLINE const double* part(const Bodies& bodies, BodyField field, std::uint32_t tile) {
  return bodies.field(field) + std::size_t{tile} * kTile;
}

// --- rotation ---

HWY_INLINE void rotate_tile(Bodies& bodies, std::uint32_t tile, double h) {
  const auto at = [&](BodyField field) HWY_ATTR { return part(bodies, field, tile); };
  const double* const HWY_RESTRICT i1 = at(BodyField::inverse_inertia_x);
  const double* const HWY_RESTRICT i2 = at(BodyField::inverse_inertia_y);
  const double* const HWY_RESTRICT i3 = at(BodyField::inverse_inertia_z);
  double* const HWY_RESTRICT l1 = at(BodyField::angular_momentum_x);
  double* const HWY_RESTRICT l2 = at(BodyField::angular_momentum_y);
  double* const HWY_RESTRICT l3 = at(BodyField::angular_momentum_z);
  double* const HWY_RESTRICT qx = at(BodyField::orientation_x);
  double* const HWY_RESTRICT qy = at(BodyField::orientation_y);
  double* const HWY_RESTRICT qz = at(BodyField::orientation_z);
  double* const HWY_RESTRICT qw = at(BodyField::orientation_w);
  for (std::uint32_t i = 0; i < kTile; i += kLanes) {
    Numbers a(l1 + i), b(l2 + i), c(l3 + i), x(qx + i), y(qy + i), z(qz + i), w(qw + i);
    cayley_step(Numbers(h), Numbers(i1 + i), Numbers(i2 + i), Numbers(i3 + i), a, b, c, x, y, z, w);
    a.store(l1 + i);
    b.store(l2 + i);
    c.store(l3 + i);
    x.store(qx + i);
    y.store(qy + i);
    z.store(qz + i);
    w.store(qw + i);
  }
}

// --- translation ---

// Steps one coordinate: x += h v + s dx, v += s dv, with s the gravity scale.
HWY_INLINE void fly(double h, double dx, double dv, const double* HWY_RESTRICT scale,
                    double* HWY_RESTRICT position, double* HWY_RESTRICT velocity) {
  for (std::uint32_t i = 0; i < kTile; i += kLanes) {
    const Numbers s(scale + i);
    const Numbers v(velocity + i);
    const Numbers x = (Numbers(position + i) + Numbers(h) * v) + s * Numbers(dx);
    x.store(position + i);
    (v + s * Numbers(dv)).store(velocity + i);
  }
}

HWY_INLINE void translate_tile(Bodies& bodies, std::uint32_t tile, const Drift& drift) {
  const Vec3& dx = drift.gravity_position;
  const Vec3 dv = drift.h * drift.gravity;
  const double* const scale = part(bodies, BodyField::gravity_scale, tile);
  fly(drift.h, dx.x, dv.x, scale, part(bodies, BodyField::position_x, tile),
      part(bodies, BodyField::velocity_x, tile));
  fly(drift.h, dx.y, dv.y, scale, part(bodies, BodyField::position_y, tile),
      part(bodies, BodyField::velocity_y, tile));
  fly(drift.h, dx.z, dv.z, scale, part(bodies, BodyField::position_z, tile),
      part(bodies, BodyField::velocity_z, tile));
}

// Steps exact flight (flight.h). One loop covers all axes, because they share their coefficients.
template <FlightPosition kPosition>
HWY_INLINE void fly_tile_exactly(Bodies& bodies, std::uint32_t tile, const Drift& drift) {
  const Flight& flight = *drift.flight;
  const double* HWY_RESTRICT scale = part(bodies, BodyField::gravity_scale, tile);
  const double* HWY_RESTRICT stiffness = flight.coefficients(FlightField::stiffness, tile);
  const double* HWY_RESTRICT travel = flight.coefficients(FlightField::travel, tile);
  const double* HWY_RESTRICT lift = flight.coefficients(FlightField::lift, tile);
  const double* HWY_RESTRICT loss = flight.coefficients(FlightField::loss, tile);
  const double* HWY_RESTRICT pull[3];
  double* HWY_RESTRICT position[3];
  double* HWY_RESTRICT velocity[3];
  for (std::uint8_t axis = 0; axis < 3; ++axis) {
    const auto along = [axis](auto first) {
      return static_cast<decltype(first)>(static_cast<std::uint8_t>(first) + axis);
    };
    pull[axis] = flight.pulls(along(FlightField::pull_x), tile);
    position[axis] = part(bodies, along(BodyField::position_x), tile);
    velocity[axis] = part(bodies, along(BodyField::velocity_x), tile);
  }
  const double gravity[3] = {drift.gravity.x, drift.gravity.y, drift.gravity.z};
  const Numbers h(flight.h());
  const Numbers half(flight.h() / 2);
  for (std::uint32_t i = 0; i < kTile; i += kLanes) {
    const Numbers s(scale + i), k(stiffness + i), b(travel + i), c(lift + i), d(loss + i);
    for (int axis = 0; axis < 3; ++axis) {
      const Numbers x(position[axis] + i);
      const Numbers v(velocity[axis] + i);
      const Numbers f = (s * Numbers(gravity[axis]) + Numbers(pull[axis] + i)) - k * x;
      const Numbers dv = b * f - d * v;
      if constexpr (kPosition == FlightPosition::exact) {
        (x + (b * v + c * f)).store(position[axis] + i);
      } else {
        (x + (h * v + half * dv)).store(position[axis] + i);
      }
      (v + dv).store(velocity[axis] + i);
    }
  }
}

HWY_INLINE void drift_tile(Bodies& bodies, std::uint32_t tile, const Drift& drift) {
  if (drift.rotates) rotate_tile(bodies, tile, drift.h);
  if (drift.flight == nullptr) return translate_tile(bodies, tile, drift);
  if (drift.flight->position() == FlightPosition::exact) {
    fly_tile_exactly<FlightPosition::exact>(bodies, tile, drift);
  } else {
    fly_tile_exactly<FlightPosition::average>(bodies, tile, drift);
  }
}

// --- hash (body_hash.h) ---

template <int kRotation>
HWY_INLINE Words rotated_words(const double* from) {
  const Words words = hn::BitCast(WordTag(), hn::Load(DoubleTag(), from));
  return hn::RotateRight<(64 - kRotation) % 64>(words);
}

HWY_INLINE Words mixed(Words h) {
  h = hn::Mul(h, hn::Set(WordTag(), kHashMultiplier));
  return hn::Xor(h, hn::ShiftRight<32>(h));
}

HWY_INLINE void seed_hashes(const Bodies& bodies, std::uint32_t tile,
                            std::uint64_t* HWY_RESTRICT hashes) {
  const double* HWY_RESTRICT last = part(bodies, BodyField::orientation_w, tile);
  const WordTag d;
  const std::uint64_t first = (std::uint64_t{tile} * kTile + 1) * kHashSeed;
  Words seeds = hn::Add(hn::Set(d, first), hn::Mul(hn::Iota(d, 0), hn::Set(d, kHashSeed)));
  for (std::uint32_t i = 0; i < kTile; i += kLanes) {
    hn::Store(hn::Add(seeds, rotated_words<kHashRotations[0]>(last + i)), d, hashes + i);
    seeds = hn::Add(seeds, hn::Set(d, kLanes * kHashSeed));
  }
}

// Mixes three fields of each body of a tile into the hash of the body.
HWY_INLINE void hash_words(const Bodies& bodies, std::uint32_t tile, BodyField first,
                           std::uint64_t* HWY_RESTRICT hashes) {
  const auto f = static_cast<std::size_t>(first);
  const double* HWY_RESTRICT w0 = part(bodies, first, tile);
  const double* HWY_RESTRICT w1 = part(bodies, static_cast<BodyField>(f + 1), tile);
  const double* HWY_RESTRICT w2 = part(bodies, static_cast<BodyField>(f + 2), tile);
  const WordTag d;
  for (std::uint32_t i = 0; i < kTile; i += kLanes) {
    Words h = hn::Xor(hn::Load(d, hashes + i), rotated_words<0>(w0 + i));
    h = hn::Add(h, rotated_words<kHashRotations[1]>(w1 + i));
    h = hn::Xor(h, rotated_words<kHashRotations[2]>(w2 + i));
    hn::Store(mixed(h), d, hashes + i);
  }
}

// Finishes the hashes of a tile with one more mixed(). Adds up the hashes of the bodies with a set
// bit in `alive`, and returns one partial sum per lane.
HWY_INLINE Words sum_hashes(std::uint64_t alive, const std::uint64_t* HWY_RESTRICT hashes) {
  const WordTag d;
  const Words bits = hn::Shl(hn::Set(d, 1), hn::Iota(d, 0));  // 1, 2, 4, ...
  Words sum = hn::Zero(d);
  for (std::uint32_t i = 0; i < kTile; i += kLanes) {
    const auto living = hn::TestBit(hn::Set(d, alive >> i), bits);
    sum = hn::Add(sum, hn::IfThenElseZero(living, mixed(hn::Load(d, hashes + i))));
  }
  return sum;
}

HWY_INLINE Words hash_tile(const Bodies& bodies, std::uint32_t tile) {
  HWY_ALIGN std::uint64_t hashes[kTile];
  seed_hashes(bodies, tile, hashes);
  hash_words(bodies, tile, BodyField::position_x, hashes);
  hash_words(bodies, tile, BodyField::velocity_x, hashes);
  hash_words(bodies, tile, BodyField::angular_momentum_x, hashes);
  hash_words(bodies, tile, BodyField::orientation_x, hashes);
  return sum_hashes(bodies.alive_mask(tile), hashes);
}

// Returns the sum of the lanes. Highway's own reduction adds signed numbers, and their overflow is
// undefined.
std::uint64_t total(Words sum) {
  HWY_ALIGN std::uint64_t lanes[kLanes];
  hn::Store(sum, WordTag(), lanes);
  std::uint64_t result = 0;
  for (const std::uint64_t lane : lanes) result += lane;
  return result;
}

// --- functions called through the dispatch ---

void drift_tiles(Bodies& bodies, std::uint32_t begin, std::uint32_t end, const Drift& drift) {
  for (std::uint32_t tile = begin; tile < end; ++tile) drift_tile(bodies, tile, drift);
}

std::uint64_t drift_and_hash_tiles(Bodies& bodies, std::uint32_t begin, std::uint32_t end,
                                   const Drift& drift) {
  Words sum = hn::Zero(WordTag());
  for (std::uint32_t tile = begin; tile < end; ++tile) {
    drift_tile(bodies, tile, drift);
    sum = hn::Add(sum, hash_tile(bodies, tile));
  }
  return total(sum);
}

void rotate_tiles(Bodies& bodies, std::uint32_t begin, std::uint32_t end, double h) {
  for (std::uint32_t tile = begin; tile < end; ++tile) rotate_tile(bodies, tile, h);
}

std::uint64_t hash_tiles(const Bodies& bodies, std::uint32_t begin, std::uint32_t end) {
  Words sum = hn::Zero(WordTag());
  for (std::uint32_t tile = begin; tile < end; ++tile) {
    sum = hn::Add(sum, hash_tile(bodies, tile));
  }
  return total(sum);
}

}  // namespace HWY_NAMESPACE
}  // namespace orrery::physics
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orrery::physics {

HWY_EXPORT(drift_tiles);
HWY_EXPORT(drift_and_hash_tiles);
HWY_EXPORT(rotate_tiles);
HWY_EXPORT(hash_tiles);

void drift_tiles(Bodies& bodies, std::uint32_t begin, std::uint32_t end, const Drift& drift) {
  ORRERY_ASSERT(begin <= end);
  ORRERY_ASSERT(end <= bodies.tiles());
  ORRERY_ASSERT(drift.flight == nullptr || drift.flight->h() == drift.h);
  HWY_DYNAMIC_DISPATCH(drift_tiles)(bodies, begin, end, drift);
}

std::uint64_t drift_and_hash_tiles(Bodies& bodies, std::uint32_t begin, std::uint32_t end,
                                   const Drift& drift) {
  ORRERY_ASSERT(begin <= end);
  ORRERY_ASSERT(end <= bodies.tiles());
  ORRERY_ASSERT(drift.flight == nullptr || drift.flight->h() == drift.h);
  return HWY_DYNAMIC_DISPATCH(drift_and_hash_tiles)(bodies, begin, end, drift);
}

void rotate_tiles(Bodies& bodies, std::uint32_t begin, std::uint32_t end, double h) {
  ORRERY_ASSERT(begin <= end);
  ORRERY_ASSERT(end <= bodies.tiles());
  HWY_DYNAMIC_DISPATCH(rotate_tiles)(bodies, begin, end, h);
}

std::uint64_t hash_tiles(const Bodies& bodies, std::uint32_t begin, std::uint32_t end) {
  ORRERY_ASSERT(begin <= end);
  ORRERY_ASSERT(end <= bodies.tiles());
  return HWY_DYNAMIC_DISPATCH(hash_tiles)(bodies, begin, end);
}

}  // namespace orrery::physics
#endif  // HWY_ONCE
