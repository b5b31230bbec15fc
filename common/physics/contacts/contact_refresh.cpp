// Computes geometry and effective masses of all contacts at the start of a tick.
//
// The narrow phase made the geometry of a general contact at earlier poses. While its bodies have
// hardly moved relative to each other, its points and normal move with them, without a narrow
// phase. (This idea is Box3D's recycling, by Erin Catto, MIT licence.)
#include "common/physics/contacts/contact_kernels.h"
#include "common/physics/contacts/contact_settings.h"
#include "common/physics/wide/wide_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/physics/contacts/contact_refresh.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "common/physics/wide/wasm_doubles.inl"

HWY_BEFORE_NAMESPACE();
namespace orrery::physics {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "common/physics/wide/wide.inl"

using Tag = hn::CappedTag<double, kBlockLanes>;
using Number = Wide<Tag>;
using Vector = Wide3<Tag>;
using Row = WideRow<Tag>;
using Symmetric = WideSymmetric<Tag>;

constexpr std::uint32_t kLanes = lanes_of<Tag>();
static_assert(kBlockLanes % kLanes == 0);
static_assert(kReuseShare > 0 && kContactMargin > 0);
constexpr std::uint32_t kLaneBits = (1u << kLanes) - 1;

// Returns the lanes of a mask as bits, the first lane in the lowest bit.
HWY_INLINE std::uint32_t bits_of(hn::Mask<Tag> mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(Tag(), mask, bytes);
  return bytes[0];
}

HWY_INLINE hn::Mask<Tag> mask_of(std::uint32_t bits) {
  const hn::RebindToUnsigned<Tag> words;
  const auto each = hn::Shl(hn::Set(words, 1), hn::Iota(words, 0));
  return hn::RebindMask(Tag(), hn::TestBit(hn::Set(words, bits), each));
}

HWY_INLINE Vector select(hn::Mask<Tag> mask, Vector yes, Vector no) {
  return {hn::IfThenElse(mask, yes.x.lanes, no.x.lanes),
          hn::IfThenElse(mask, yes.y.lanes, no.y.lanes),
          hn::IfThenElse(mask, yes.z.lanes, no.z.lanes)};
}

// --- round ---

// Computes normal and separation in the lanes with two balls. Returns a bit mask of the lanes of
// the block in which the balls are farther apart than the contact margin.
HWY_INLINE std::uint32_t place_balls(const BodyRows& rows, BallBlock& block, BallColdBlock& extra,
                                     std::uint32_t lane) {
  const auto balls = mask_of(std::uint32_t{extra.balls} >> lane & kLaneBits);
  const Row a = RowAddresses<Tag>(rows.pose, block.bodies.row_a + lane).load();
  const Row b = RowAddresses<Tag>(rows.pose, block.bodies.row_b + lane).load();
  const Vector between = b.first() - a.first();
  const Number distance = square_root(dot(between, between));
  const Number per_distance = inverse_or_zero(distance);
  const auto apart = hn::Gt(distance.lanes, hn::Zero(Tag()));
  const Number zero(0.0);
  const Vector up(zero, Number(1.0), zero);
  const Vector found = select(apart, per_distance * between, up);
  select(balls, found, Vector(block.normal, lane)).store(block.normal, lane);
  const Number gap = distance - (Number(extra.radius_a + lane) + Number(extra.radius_b + lane));
  const Number old(block.separation + lane);
  const Number separation = hn::IfThenElse(balls, gap.lanes, old.lanes);
  separation.store(block.separation + lane);
  separation.store(block.gap + lane);
  const auto parted = hn::Gt(gap.lanes, hn::Set(Tag(), kContactMargin));
  return bits_of(hn::And(balls, parted)) << lane;
}

// Computes the arms a and b of a round contact: the distances from the two centres to the contact
// point. Also computes its effective masses along the normal and along a tangent. With mA, mB the
// masses and IA, IB the moments of inertia:
//
//   normal   1 / (1/mA + 1/mB)
//   tangent  1 / (1/mA + 1/mB + a^2/IA + b^2/IB)
HWY_INLINE void prepare_round(const BodyRows& rows, BallBlock& block, BallColdBlock& extra,
                              std::uint32_t lane) {
  const Row a = RowAddresses<Tag>(rows.motion, block.bodies.row_a + lane).load();
  const Row b = RowAddresses<Tag>(rows.motion, block.bodies.row_b + lane).load();
  const Vector normal(block.normal, lane);
  const Number half_gap = Number(0.5) * Number(block.separation + lane);
  const Number arm_a = Number(extra.radius_a + lane) + half_gap;
  const Number arm_b = Number(extra.radius_b + lane) + half_gap;
  arm_a.store(block.arm_a + lane);
  arm_b.store(block.arm_b + lane);
  const Number mass = a.inverse_mass() + b.inverse_mass();
  inverse_or_zero(mass).store(block.normal_mass + lane);
  inverse_or_zero(mass +
                  (arm_a * arm_a * a.inverse_inertia_x() + arm_b * arm_b * b.inverse_inertia_x()))
      .store(block.tangent_mass + lane);
  if (block.footer.bounces) {
    dot(normal, b.first() - a.first()).store(extra.approach + lane);
    Number(0.0).store(extra.total + lane);
  }
  if (block.footer.has_rolling_resistance) {
    inverse_or_zero(a.inverse_inertia_x() + b.inverse_inertia_x()).store(extra.rolling_mass + lane);
  }
}

void refresh_round(const BodyRows& rows, RoundView view, BlockRange range) {
  for (std::uint32_t i = range.begin; i < range.end; ++i) {
    BallBlock& block = view.blocks[i];
    BallColdBlock& extra = view.extras[i];
    std::uint32_t worn = 0;
    for (std::uint32_t lane = 0; lane < kBlockLanes; lane += kLanes) {
      worn |= place_balls(rows, block, extra, lane);
      prepare_round(rows, block, extra, lane);
    }
    extra.worn = static_cast<std::uint8_t>(worn);
  }
}

// --- general ---

// Intermediate results for one vector of lanes of a general block.
struct Pairing {
  Row motion_a, motion_b;
  Symmetric inertia_a, inertia_b;
  Vector normal;
  Number mass;                      // sum of the inverse masses
  Vector arm_a[kContactPointsMax];  // from the centres of mass to the points
  Vector arm_b[kContactPointsMax];
  Number separation[kContactPointsMax];
  Number points;  // number of points (a mask cannot be a member on every instruction set)
};

HWY_INLINE hn::Mask<Tag> has_point(const Pairing& p, std::uint32_t i) {
  return hn::Gt(p.points.lanes, hn::Set(Tag(), static_cast<double>(i)));
}

// Moves the points with their bodies. With xA, xB the centres of mass, rA, rB the vectors from them
// to the point as fixed to A and to B, and n the normal,
//
//   slip = (xB + rB) - (xA + rA), separation = separation when made + n . slip
//
// The point of a round part is at its anchor plus n times the distance when made: its radius and
// half of the separation. Returns a bit mask of the lanes with bodies that have moved too far
// relative to each other. Bit 0 is the lane `lane`.
HWY_INLINE std::uint32_t place_points(const BodyRows& rows, const ManifoldBlock& block,
                                      const ManifoldColdBlock& extra, std::uint32_t lane,
                                      Pairing& p) {
  const Row a = RowAddresses<Tag>(rows.pose, block.bodies.row_a + lane).load();
  const Row b = RowAddresses<Tag>(rows.pose, block.bodies.row_b + lane).load();
  const WideRotation<Tag> turn_a(a.second(), a.orientation_w());
  const WideRotation<Tag> turn_b(b.second(), b.orientation_w());
  const Vector between = b.first() - a.first();
  const Number zero(0.0), one(1.0), half(0.5);
  const auto of_b = hn::Gt(Number(extra.face_of_b + lane).lanes, zero.lanes);
  p.normal = select(of_b, turn_b.to_world(Vector(extra.normal_b, lane)),
                    turn_a.to_world(Vector(extra.normal_a, lane)));
  p.points = Number(extra.count + lane);
  const Number radius_a(extra.radius_a + lane), radius_b(extra.radius_b + lane);
  const auto round_a = hn::Gt(radius_a.lanes, zero.lanes);
  const auto round_b = hn::Gt(radius_b.lanes, zero.lanes);
  const Number share_a(extra.share + lane), share_b = one - share_a;
  Number moved(0.0);
  for (std::uint32_t i = 0; i < block.footer.points; ++i) {
    const Number made(extra.made[i] + lane);
    const Number out_a = hn::IfThenElseZero(round_a, (radius_a + half * made).lanes);
    const Number out_b = hn::IfThenElseZero(round_b, (radius_b + half * made).lanes);
    const Vector from_a = turn_a.to_world(Vector(extra.at_a[i], lane)) + out_a * p.normal;
    const Vector from_b = turn_b.to_world(Vector(extra.at_b[i], lane)) - out_b * p.normal;
    const Vector slip = (between + from_b) - from_a;
    if (i == 0) moved = dot(slip, slip);
    p.separation[i] = made + dot(p.normal, slip);
    // both arms end in one place, so that opposite impulses act at one point
    p.arm_a[i] = from_a + share_a * slip;
    p.arm_b[i] = from_b - share_b * slip;
  }
  // The squared angle of the relative rotation since the geometry was made, approximated by
  // (2 sin(angle / 2))^2.
  const Vector qa = a.second(), qb = b.second();
  const Number wa = a.orientation_w(), wb = b.orientation_w();
  const Vector turned = ((wa * qb) - (wb * qa)) - cross(qa, qb);
  const Number turned_w = wa * wb + dot(qa, qb);
  const Number same =
      dot(turned, Vector(extra.turn, lane)) + turned_w * Number(extra.turn_w + lane);
  const Number angle_2 = Number(4.0) * larger(zero, one - same * same);
  const Number extent(extra.extent + lane), reuse(extra.reuse + lane);
  const Number all = moved + angle_2 * (extent * extent);
  return bits_of(hn::Gt(all.lanes, (reuse * reuse).lanes));
}

// Computes j = r x n and k = I^-1 j (PointRow), and the effective mass 1 / (1/mA + 1/mB + jA.kA +
// jB.kB) of each point.
HWY_INLINE void prepare_points(ManifoldBlock& block, ManifoldColdBlock& extra, std::uint32_t lane,
                               const Pairing& p) {
  const Vector v = p.motion_b.first() - p.motion_a.first();
  const Number speed = dot(p.normal, v);
  for (std::uint32_t i = 0; i < block.footer.points; ++i) {
    PointRow& row = block.points[i];
    const Vector j_a = cross(p.arm_a[i], p.normal);
    const Vector j_b = cross(p.arm_b[i], p.normal);
    const Vector k_a = p.inertia_a * j_a;
    const Vector k_b = p.inertia_b * j_b;
    const Number inverse_mass = p.mass + (dot(j_a, k_a) + dot(j_b, k_b));
    j_a.store(row.j_a, lane);
    k_a.store(row.k_a, lane);
    j_b.store(row.j_b, lane);
    k_b.store(row.k_b, lane);
    p.separation[i].store(row.separation + lane);
    p.separation[i].store(row.gap + lane);
    Number(hn::IfThenElseZero(has_point(p, i), inverse_or_zero(inverse_mass).lanes))
        .store(row.mass + lane);
    if (block.footer.bounces) {
      const Number turning = dot(j_b, p.motion_b.second()) - dot(j_a, p.motion_a.second());
      (speed + turning).store(extra.approach[i] + lane);
      Number(0.0).store(extra.total[i] + lane);
    }
  }
}

// Computes the centre of friction: the weighted mean of the points. Points up to the reuse distance
// above the deepest have weight 1. Beyond it the weight falls, to almost 0 at twice this distance.
HWY_INLINE void place_friction(ManifoldBlock& block, const ManifoldColdBlock& extra,
                               std::uint32_t lane, const Pairing& p, Vector& center_a,
                               Vector& center_b) {
  const Number zero(0.0), one(1.0), two(2.0), least(1e-10);
  Number deepest = p.separation[0];
  for (std::uint32_t i = 1; i < block.footer.points; ++i) {
    const Number lower = smaller(deepest, p.separation[i]);
    deepest = hn::IfThenElse(has_point(p, i), lower.lanes, deepest.lanes);
  }
  const Number per_distance = inverse_or_zero(Number(extra.reuse + lane));
  Number sum = zero;
  Vector sum_a(zero, zero, zero), sum_b(zero, zero, zero);
  for (std::uint32_t i = 0; i < block.footer.points; ++i) {
    const Number above = (p.separation[i] - deepest) * per_distance;
    const Number share = smaller(larger(two - above, least), one);
    const Number weight = hn::IfThenElseZero(has_point(p, i), share.lanes);
    sum = sum + weight;
    sum_a = sum_a + weight * p.arm_a[i];
    sum_b = sum_b + weight * p.arm_b[i];
  }
  const Number per_sum = inverse_or_zero(sum);
  center_a = per_sum * sum_a;
  center_b = per_sum * sum_b;
  center_a.store(block.arm_a, lane);
  center_b.store(block.arm_b, lane);
  for (std::uint32_t i = 0; i < block.footer.points; ++i) {
    const Vector from_center = p.arm_a[i] - center_a;
    square_root(dot(from_center, from_center)).store(block.lever[i] + lane);
  }
}

// Returns a unit vector perpendicular to the normal, by a fixed rule.
HWY_INLINE Vector tangent_of(Vector n) {
  const auto along_x = hn::Gt((n.x * n.x).lanes, hn::Set(Tag(), 1.0 / 3));
  const Number zero(0.0);
  const Vector t = select(along_x, {n.y, zero - n.x, zero}, {zero, n.z, zero - n.y});
  return inverse_or_zero(square_root(dot(t, t))) * t;
}

// Computes the effective mass of sliding: the inverse of the largest eigenvalue of the 2 x 2 matrix
// K of two tangents t1 and t2. With r the vectors from the centres of mass to the centre of
// friction,
//
//   K_ij = (1/mA + 1/mB) (ti . tj) + sum over both bodies of (r x ti) . I^-1 (r x tj)
//
// Also computes the effective mass of twist, 1 / (n . (IA^-1 + IB^-1) n), with n the normal.
HWY_INLINE void prepare_friction(ManifoldBlock& block, const ManifoldColdBlock& extra,
                                 std::uint32_t lane, const Pairing& p) {
  Vector center_a, center_b;
  place_friction(block, extra, lane, p, center_a, center_b);
  const Vector first = tangent_of(p.normal);
  const Vector second = cross(p.normal, first);
  const Vector a1 = cross(center_a, first), a2 = cross(center_a, second);
  const Vector b1 = cross(center_b, first), b2 = cross(center_b, second);
  const Vector ka1 = p.inertia_a * a1, ka2 = p.inertia_a * a2;
  const Vector kb1 = p.inertia_b * b1, kb2 = p.inertia_b * b2;
  const Number xx = dot(a1, ka1) + dot(b1, kb1);
  const Number yy = dot(a2, ka2) + dot(b2, kb2);
  const Number xy = dot(a1, ka2) + dot(b1, kb2);
  const Number half(0.5), apart = half * (xx - yy);
  const Number largest = half * (xx + yy) + square_root(apart * apart + xy * xy);
  inverse_or_zero(p.mass + largest).store(block.tangent_mass + lane);
  const Number twist = dot(p.normal, p.inertia_a * p.normal + p.inertia_b * p.normal);
  inverse_or_zero(twist).store(block.twist_mass + lane);
}

// Computes the effective mass of rolling, (IA^-1 + IB^-1)^-1, by cofactors.
HWY_INLINE void prepare_rolling(ManifoldColdBlock& extra, std::uint32_t lane, const Pairing& p) {
  const Symmetric &a = p.inertia_a, &b = p.inertia_b;
  const Number xx = a.xx + b.xx, yy = a.yy + b.yy, zz = a.zz + b.zz;
  const Number xy = a.xy + b.xy, xz = a.xz + b.xz, yz = a.yz + b.yz;
  const Number cxx = yy * zz - yz * yz, cxy = xz * yz - xy * zz, cxz = xy * yz - xz * yy;
  const Number per_determinant = inverse_or_zero(xx * cxx + xy * cxy + xz * cxz);
  Vector(per_determinant * cxx, per_determinant * (xx * zz - xz * xz),
         per_determinant * (xx * yy - xy * xy))
      .store(extra.rolling_mass, lane);
  Vector(per_determinant * cxy, per_determinant * cxz, per_determinant * (xy * xz - xx * yz))
      .store(extra.rolling_mass_mixed, lane);
}

HWY_INLINE std::uint32_t refresh_lanes(const BodyRows& rows, ManifoldBlock& block,
                                       ManifoldColdBlock& extra, std::uint32_t lane) {
  Pairing p;
  const std::uint32_t worn = place_points(rows, block, extra, lane, p);
  p.motion_a = RowAddresses<Tag>(rows.motion, block.bodies.row_a + lane).load();
  p.motion_b = RowAddresses<Tag>(rows.motion, block.bodies.row_b + lane).load();
  p.inertia_a = RowAddresses<Tag>(rows.inertia, block.bodies.row_a + lane).load().symmetric();
  p.inertia_b = RowAddresses<Tag>(rows.inertia, block.bodies.row_b + lane).load().symmetric();
  p.mass = p.motion_a.inverse_mass() + p.motion_b.inverse_mass();
  p.normal.store(block.normal, lane);
  prepare_points(block, extra, lane, p);
  prepare_friction(block, extra, lane, p);
  if (block.footer.has_rolling_resistance) prepare_rolling(extra, lane, p);
  return worn << lane;
}

void refresh_general(const BodyRows& rows, GeneralView view, BlockRange range) {
  for (std::uint32_t i = range.begin; i < range.end; ++i) {
    std::uint32_t worn = 0;
    for (std::uint32_t lane = 0; lane < kBlockLanes; lane += kLanes) {
      worn |= refresh_lanes(rows, view.blocks[i], view.extras[i], lane);
    }
    view.extras[i].worn = static_cast<std::uint8_t>(worn);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace orrery::physics
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orrery::physics {

HWY_EXPORT(refresh_round);
HWY_EXPORT(refresh_general);

void refresh_round(const BodyRows& rows, RoundView view, BlockRange range) {
  ORRERY_ASSERT(range.begin <= range.end);
  ORRERY_ASSERT(range.lane == kBlockLanes);
  HWY_DYNAMIC_DISPATCH(refresh_round)(rows, view, range);
}

void refresh_general(const BodyRows& rows, GeneralView view, BlockRange range) {
  ORRERY_ASSERT(range.begin <= range.end);
  ORRERY_ASSERT(range.lane == kBlockLanes);
  HWY_DYNAMIC_DISPATCH(refresh_general)(rows, view, range);
}

}  // namespace orrery::physics
#endif  // HWY_ONCE
