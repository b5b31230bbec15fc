// Converts bodies between the arrays and the solver's rows, compiled once per instruction set.
//
// The arrays are those of Bodies, one for each field. A row has the numbers of one body side by
// side (body_rows.h). During the passes over contacts and joints the rows hold the current
// velocities. At all other times the arrays hold them. Storing a row that no impulse changed leaves
// the numbers of the body as they were, except that -0 may become +0.
#include "common/physics/body/body_rows.h"

#include <algorithm>

#include "common/physics/wide/wide_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/physics/body/body_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "common/physics/wide/wasm_doubles.inl"

HWY_BEFORE_NAMESPACE();
namespace orrery::physics {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "common/physics/wide/wide.inl"

using Tag = hn::CappedTag<double, kRowNumbers>;
using Number = Wide<Tag>;
using Vector = Wide3<Tag>;
using Row = WideRow<Tag>;

constexpr std::uint32_t kLanes = lanes_of<Tag>();
static_assert(limits::kTileBodies % kLanes == 0);
static_assert(kRowNumbers % kLanes == 0);
constexpr std::uint32_t kLaneBits = (1u << kLanes) - 1;

HWY_INLINE Number number(const Bodies& bodies, BodyField field, std::uint32_t slot) {
  return Number(bodies.field(field) + slot);
}

HWY_INLINE Vector vector(const Bodies& bodies, BodyField first, std::uint32_t slot) {
  const auto f = static_cast<std::uint8_t>(first);
  return {number(bodies, first, slot), number(bodies, static_cast<BodyField>(f + 1), slot),
          number(bodies, static_cast<BodyField>(f + 2), slot)};
}

HWY_INLINE WideRotation<Tag> rotation(const Bodies& bodies, std::uint32_t slot) {
  return {vector(bodies, BodyField::orientation_x, slot),
          number(bodies, BodyField::orientation_w, slot)};
}

HWY_INLINE Vector scaled(Vector a, Vector b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

HWY_INLINE Vector angular_velocity(const Bodies& bodies, const WideRotation<Tag>& r,
                                   std::uint32_t slot) {
  return r.to_world(scaled(vector(bodies, BodyField::inverse_inertia_x, slot),
                           vector(bodies, BodyField::angular_momentum_x, slot)));
}

// Returns a row of two vectors and two more numbers.
HWY_INLINE Row row_of(Vector a, Vector b, Number seventh, Number eighth) {
  return {a.x, a.y, a.z, b.x, b.y, b.z, seventh, eighth};
}

// Calls body(slot, bits) for each group of kLanes slots with a used row. `slot` is the first of the
// group, and bit i of `bits` is set if row slot + i is used.
template <class Body>
HWY_INLINE void for_used(const BodyRows& rows, std::uint32_t begin, std::uint32_t end, Body body) {
  for (std::uint32_t tile = begin; tile < end; ++tile) {
    std::uint64_t used = rows.used[tile];
    for (std::uint32_t i = 0; used != 0; i += kLanes, used >>= kLanes - 1, used >>= 1) {
      const std::uint32_t bits = static_cast<std::uint32_t>(used) & kLaneBits;
      if (bits != 0) body(tile * limits::kTileBodies + i, bits);
    }
  }
}

// Returns the lanes of a mask as bits, the first lane in the lowest bit.
HWY_INLINE std::uint32_t bits_of(hn::Mask<Tag> mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(Tag(), mask, bytes);
  return bytes[0];
}

// Returns the inverse inertia for impulses. It is 0 for a kinematic body: the inverse inertia that
// Bodies stores for it serves only to compute its angular velocity.
HWY_INLINE Vector felt_inertia(const Bodies& bodies, std::uint32_t slot) {
  const auto moves = hn::Gt(number(bodies, BodyField::inverse_mass, slot).lanes, hn::Zero(Tag()));
  const Vector i = vector(bodies, BodyField::inverse_inertia_x, slot);
  return {hn::IfThenElseZero(moves, i.x.lanes), hn::IfThenElseZero(moves, i.y.lanes),
          hn::IfThenElseZero(moves, i.z.lanes)};
}

// Returns the inverse inertia in world axes, R diag(i) R^T: R rotates body axes to world axes, and
// i are the principal inverse moments.
HWY_INLINE Row world_inertia(const WideRotation<Tag>& r, Vector i) {
  const Vector a = i.x * r.first, b = i.y * r.second, c = i.z * r.third;
  return {r.first.x * a.x + r.second.x * b.x + r.third.x * c.x,
          r.first.y * a.y + r.second.y * b.y + r.third.y * c.y,
          r.first.z * a.z + r.second.z * b.z + r.third.z * c.z,
          r.first.x * a.y + r.second.x * b.y + r.third.x * c.y,
          r.first.x * a.z + r.second.x * b.z + r.third.x * c.z,
          r.first.y * a.z + r.second.y * b.z + r.third.y * c.z,
          Number(0.0),
          Number(0.0)};
}

HWY_INLINE void store_pose(const Bodies& bodies, const BodyRows& rows, std::uint32_t slot,
                           std::uint32_t bits) {
  RowAddresses<Tag>(rows.pose + slot)
      .store(row_of(vector(bodies, BodyField::position_x, slot),
                    vector(bodies, BodyField::orientation_x, slot),
                    number(bodies, BodyField::orientation_w, slot),
                    number(bodies, BodyField::gravity_scale, slot)),
             bits);
}

void load_poses(const Bodies& bodies, const BodyRows& rows, std::uint32_t begin,
                std::uint32_t end) {
  for_used(rows, begin, end, [&](std::uint32_t slot, std::uint32_t bits) HWY_ATTR {
    const WideRotation<Tag> r = rotation(bodies, slot);
    const Vector inverse = felt_inertia(bodies, slot);
    const Number zero(0.0);
    const Vector none(zero, zero, zero);
    RowAddresses<Tag>(rows.motion + slot)
        .store(
            row_of(vector(bodies, BodyField::velocity_x, slot), angular_velocity(bodies, r, slot),
                   number(bodies, BodyField::inverse_mass, slot), inverse.x),
            bits);
    store_pose(bodies, rows, slot, bits);
    RowAddresses<Tag>(rows.inertia + slot).store(world_inertia(r, inverse), bits);
    RowAddresses<Tag>(rows.moved + slot).store(row_of(none, none, zero, zero), bits);
    RowAddresses<Tag>(rows.pushed + slot).store(row_of(none, none, zero, zero), bits);
  });
}

void find_turning(const Bodies& bodies, const BodyRows& rows, double most, std::uint32_t begin,
                  std::uint32_t end) {
  std::fill(rows.turning + begin, rows.turning + end, 0);
  for_used(rows, begin, end, [&](std::uint32_t slot, std::uint32_t bits) HWY_ATTR {
    const Vector w = scaled(vector(bodies, BodyField::inverse_inertia_x, slot),
                            vector(bodies, BodyField::angular_momentum_x, slot));
    const auto moves = hn::Gt(number(bodies, BodyField::inverse_mass, slot).lanes, hn::Zero(Tag()));
    const Number least = hn::IfThenElseZero(moves, hn::Set(Tag(), most * most));
    const std::uint32_t fast = bits_of(hn::Gt(dot(w, w).lanes, least.lanes)) & bits;
    rows.turning[slot / limits::kTileBodies] |= std::uint64_t{fast} << slot % limits::kTileBodies;
  });
}

// Returns the inverse of a symmetric matrix, by cofactors; 0 if the matrix is 0.
HWY_INLINE WideSymmetric<Tag> inverse(const WideSymmetric<Tag>& m) {
  const Number xx = m.yy * m.zz - m.yz * m.yz, xy = m.xz * m.yz - m.xy * m.zz;
  const Number xz = m.xy * m.yz - m.xz * m.yy;
  const Number per = inverse_or_zero(m.xx * xx + m.xy * xy + m.xz * xz);
  return {per * xx, per * (m.xx * m.zz - m.xz * m.xz), per * (m.xx * m.yy - m.xy * m.xy), per * xy,
          per * xz, per * (m.xy * m.xz - m.xx * m.yz)};
}

void load_turned(const Bodies& bodies, const BodyRows& rows, std::uint32_t begin,
                 std::uint32_t end) {
  for_used(rows, begin, end, [&](std::uint32_t slot, std::uint32_t bits) HWY_ATTR {
    store_pose(bodies, rows, slot, bits);
    const std::uint32_t tile = slot / limits::kTileBodies, shift = slot % limits::kTileBodies;
    const std::uint32_t turned = static_cast<std::uint32_t>(rows.turning[tile] >> shift) & bits;
    if (turned == 0) return;
    const RowAddresses<Tag> inertia_rows(rows.inertia + slot), pushed_rows(rows.pushed + slot);
    const Row before = inertia_rows.load(), pushed = pushed_rows.load();
    const Row now = world_inertia(rotation(bodies, slot), felt_inertia(bodies, slot));
    inertia_rows.store(now, turned);
    const Vector w = now.symmetric() * (inverse(before.symmetric()) * pushed.second());
    const Number zero(0.0);
    pushed_rows.store(row_of(pushed.first(), w, zero, zero), turned);
  });
}

template <bool kPush>
HWY_INLINE void load(const Bodies& bodies, const BodyRows& rows, std::uint32_t begin,
                     std::uint32_t end) {
  for_used(rows, begin, end, [&](std::uint32_t slot, std::uint32_t bits) HWY_ATTR {
    const Vector v = vector(bodies, BodyField::velocity_x, slot);
    const Vector w = angular_velocity(bodies, rotation(bodies, slot), slot);
    const Number mass = number(bodies, BodyField::inverse_mass, slot);
    const Number inertia = felt_inertia(bodies, slot).x;
    // The sum with `none` below turns -0 into +0 and changes nothing else. Later, a contact lane
    // without a point can therefore add zeros to these numbers without changing a bit.
    const Vector none(Number(0.0), Number(0.0), Number(0.0));
    RowAddresses<Tag>(rows.start + slot).store(row_of(v, w, mass, inertia), bits);
    if constexpr (kPush) {
      const Row pushed = RowAddresses<Tag>(rows.pushed + slot).load();
      RowAddresses<Tag>(rows.motion + slot)
          .store(row_of((v + pushed.first()) + none, (w + pushed.second()) + none, mass, inertia),
                 bits);
    } else {
      RowAddresses<Tag>(rows.motion + slot).store(row_of(v + none, w + none, mass, inertia), bits);
    }
  });
}

void load_and_push(const Bodies& bodies, const BodyRows& rows, std::uint32_t begin,
                   std::uint32_t end) {
  load<true>(bodies, rows, begin, end);
}

void load_velocities(const Bodies& bodies, const BodyRows& rows, std::uint32_t begin,
                     std::uint32_t end) {
  load<false>(bodies, rows, begin, end);
}

// Returns the mask of the lanes with a set bit.
HWY_INLINE hn::Mask<Tag> mask_of(std::uint32_t bits) {
  const hn::RebindToUnsigned<Tag> words;
  const auto each = hn::Shl(hn::Set(words, 1), hn::Iota(words, 0));
  return hn::RebindMask(Tag(), hn::TestBit(hn::Set(words, bits), each));
}

HWY_INLINE void replace(Bodies& bodies, BodyField field, std::uint32_t slot, hn::Mask<Tag> lanes,
                        Number value) {
  double* const at = bodies.field(field) + slot;
  Number(hn::IfThenElse(lanes, value.lanes, Number(at).lanes)).store(at);
}

HWY_INLINE void replace(Bodies& bodies, BodyField first, std::uint32_t slot, hn::Mask<Tag> lanes,
                        Vector v) {
  const auto f = static_cast<std::uint8_t>(first);
  replace(bodies, first, slot, lanes, v.x);
  replace(bodies, static_cast<BodyField>(f + 1), slot, lanes, v.y);
  replace(bodies, static_cast<BodyField>(f + 2), slot, lanes, v.z);
}

// Returns the angular momentum in body axes after a change dw of angular velocity (world axes):
// L + I R^T dw. I are the principal moments, and R rotates body axes to world axes.
HWY_INLINE Vector changed_momentum(const Bodies& bodies, std::uint32_t slot, Vector dw) {
  const Vector inverse = vector(bodies, BodyField::inverse_inertia_x, slot);
  const Vector inertia(inverse_or_zero(inverse.x), inverse_or_zero(inverse.y),
                       inverse_or_zero(inverse.z));
  const Vector turned = rotation(bodies, slot).to_body(dw);
  return vector(bodies, BodyField::angular_momentum_x, slot) + scaled(inertia, turned);
}

// Clamps each component of v to +-most. NaN becomes -most.
HWY_INLINE Vector bounded(Vector v, double most) {
  const Number least(-most), greatest(most);
  const auto bound = [&](Number x) HWY_ATTR { return smaller(greatest, larger(least, x)); };
  return {bound(v.x), bound(v.y), bound(v.z)};
}
// Largest component of an angular velocity that store() accepts. Every spin stays below it, because
// bound_motion() (contact_solver.cpp) limits each component of angular momentum to 2
// kAngularSpeedMax times the largest moment. Tumbling can turn all of the momentum to the axis of
// the smallest moment. The spin is then at most sqrt(3) * 2 * kAngularSpeedMax * kInertiaRatioMax.
constexpr double kSpinMax = 4 * limits::kAngularSpeedMax * limits::kInertiaRatioMax;

template <bool kPush>
HWY_INLINE void store(Bodies& bodies, const BodyRows& rows, double h, std::uint32_t begin,
                      std::uint32_t end) {
  for_used(rows, begin, end, [&](std::uint32_t slot, std::uint32_t bits) HWY_ATTR {
    const Row motion = RowAddresses<Tag>(rows.motion + slot).load();
    const Row start = RowAddresses<Tag>(rows.start + slot).load();
    const Vector v = bounded(motion.first(), limits::kSpeedMax);
    const Vector w = bounded(motion.second(), kSpinMax);
    const Vector dv = v - start.first();
    const Vector dw = w - start.second();
    const RowAddresses<Tag> pushed_rows(rows.pushed + slot);
    const Number zero(0.0);
    if constexpr (kPush) {
      pushed_rows.store(row_of(dv, dw, zero, zero), bits);
      const RowAddresses<Tag> moved_rows(rows.moved + slot);
      const Row moved = moved_rows.load();
      const Number seconds(h);
      moved_rows.store(
          row_of(moved.first() + seconds * v, moved.second() + seconds * w, zero, zero), bits);
    } else {
      const Row pushed = pushed_rows.load();
      pushed_rows.store(row_of(pushed.first() + dv, pushed.second() + dw, zero, zero), bits);
    }
    const auto lanes = hn::And(mask_of(bits), hn::Gt(motion.inverse_mass().lanes, hn::Zero(Tag())));
    replace(bodies, BodyField::velocity_x, slot, lanes, v);
    replace(bodies, BodyField::angular_momentum_x, slot, lanes, changed_momentum(bodies, slot, dw));
  });
}

void store_pushed(Bodies& bodies, const BodyRows& rows, double h, std::uint32_t begin,
                  std::uint32_t end) {
  store<true>(bodies, rows, h, begin, end);
}

void store_velocities(Bodies& bodies, const BodyRows& rows, std::uint32_t begin,
                      std::uint32_t end) {
  store<false>(bodies, rows, 0, begin, end);
}

void store_struck(Bodies& bodies, const BodyRows& rows, std::uint32_t begin, std::uint32_t end) {
  for_used(rows, begin, end, [&](std::uint32_t slot, std::uint32_t bits) HWY_ATTR {
    std::uint32_t struck = 0;
    for (std::uint32_t i = 0; i < kLanes; ++i)
      struck |= std::uint32_t{rows.struck[slot + i] > 0} << i;
    if ((struck & bits) == 0) return;
    const Row motion = RowAddresses<Tag>(rows.motion + slot).load();
    const Vector before = angular_velocity(bodies, rotation(bodies, slot), slot);
    const Vector w = bounded(motion.second(), kSpinMax);
    const auto lanes = mask_of(struck & bits);
    replace(bodies, BodyField::velocity_x, slot, lanes, bounded(motion.first(), limits::kSpeedMax));
    replace(bodies, BodyField::angular_momentum_x, slot, lanes,
            changed_momentum(bodies, slot, w - before));
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace orrery::physics
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orrery::physics {

HWY_EXPORT(load_poses);
HWY_EXPORT(find_turning);
HWY_EXPORT(load_turned);
HWY_EXPORT(load_and_push);
HWY_EXPORT(store_pushed);
HWY_EXPORT(load_velocities);
HWY_EXPORT(store_velocities);
HWY_EXPORT(store_struck);

BodyRowMemory::BodyRowMemory(std::uint32_t capacity)
    : memory_(std::size_t{5} * (capacity + 1)),
      turning_(capacity / limits::kTileBodies + 1),
      struck_(capacity + std::size_t{1}),
      used_(capacity) {
  ORRERY_ASSERT(capacity > 0);
  const std::size_t rows = capacity + std::size_t{1};
  SolverBody* const first = memory_.data();
  // `pose` and `start` share one array: poses are needed before a pass loads its start velocities.
  rows_ = {first,
           first + rows,
           first + 2 * rows,
           first + 3 * rows,
           first + 4 * rows,
           first + 2 * rows,
           capacity,
           used_.words().data(),
           turning_.data(),
           struck_.data()};
}

void load_poses(const Bodies& bodies, const BodyRows& rows, std::uint32_t begin,
                std::uint32_t end) {
  ORRERY_ASSERT(begin <= end && end <= bodies.tiles());
  ORRERY_ASSERT(rows.null_row == bodies.capacity());
  HWY_DYNAMIC_DISPATCH(load_poses)(bodies, rows, begin, end);
}

void find_turning(const Bodies& bodies, const BodyRows& rows, double most, std::uint32_t begin,
                  std::uint32_t end) {
  ORRERY_ASSERT(begin <= end && end <= bodies.tiles());
  ORRERY_ASSERT(rows.null_row == bodies.capacity() && most >= 0);
  HWY_DYNAMIC_DISPATCH(find_turning)(bodies, rows, most, begin, end);
}

void load_turned(const Bodies& bodies, const BodyRows& rows, std::uint32_t begin,
                 std::uint32_t end) {
  ORRERY_ASSERT(begin <= end && end <= bodies.tiles());
  ORRERY_ASSERT(rows.null_row == bodies.capacity());
  HWY_DYNAMIC_DISPATCH(load_turned)(bodies, rows, begin, end);
}

void load_and_push(const Bodies& bodies, const BodyRows& rows, std::uint32_t begin,
                   std::uint32_t end) {
  ORRERY_ASSERT(begin <= end && end <= bodies.tiles());
  ORRERY_ASSERT(rows.null_row == bodies.capacity());
  HWY_DYNAMIC_DISPATCH(load_and_push)(bodies, rows, begin, end);
}

void store_pushed(Bodies& bodies, const BodyRows& rows, double h, std::uint32_t begin,
                  std::uint32_t end) {
  ORRERY_ASSERT(begin <= end && end <= bodies.tiles());
  ORRERY_ASSERT(rows.null_row == bodies.capacity());
  HWY_DYNAMIC_DISPATCH(store_pushed)(bodies, rows, h, begin, end);
}

void load_velocities(const Bodies& bodies, const BodyRows& rows, std::uint32_t begin,
                     std::uint32_t end) {
  ORRERY_ASSERT(begin <= end && end <= bodies.tiles());
  ORRERY_ASSERT(rows.null_row == bodies.capacity());
  HWY_DYNAMIC_DISPATCH(load_velocities)(bodies, rows, begin, end);
}

void store_velocities(Bodies& bodies, const BodyRows& rows, std::uint32_t begin,
                      std::uint32_t end) {
  ORRERY_ASSERT(begin <= end && end <= bodies.tiles());
  ORRERY_ASSERT(rows.null_row == bodies.capacity());
  HWY_DYNAMIC_DISPATCH(store_velocities)(bodies, rows, begin, end);
}

void store_struck(Bodies& bodies, const BodyRows& rows, std::uint32_t begin, std::uint32_t end) {
  ORRERY_ASSERT(begin <= end && end <= bodies.tiles());
  HWY_DYNAMIC_DISPATCH(store_struck)(bodies, rows, begin, end);
}

}  // namespace orrery::physics
#endif  // HWY_ONCE
