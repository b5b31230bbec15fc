// Computes geometry and effective masses of all contacts at the start of a tick.
//
// The narrow phase made the geometry of a general contact at earlier poses. While its bodies have
// hardly moved relative to each other, its points and normal move with them, without a narrow
// phase. (This idea is Box3D's recycling, by Erin Catto, MIT licence.)
#include <type_traits>

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

#include "common/physics/contacts/contact_place.inl"

// --- round ---

// Computes normal and separation in the lanes with two balls. Returns a bit mask of the lanes of
// the block in which the balls are farther apart than the contact margin.
//
// If the balls are apart now and at the end of the tick, as they move now, the plane that separates
// them then may separate them now, too. It then does so all the way: the balls pass each other, and
// the contact takes this plane, which pushes nothing. The plane between them now would push.
HWY_INLINE std::uint32_t place_balls(const BodyRows& rows, BallBlock& block, BallColdBlock& extra,
                                     std::uint32_t lane, Number tick) {
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
  const Number radii = Number(extra.radius_a + lane) + Number(extra.radius_b + lane);
  const Number distance_now = distance - radii;
  const Row motion_a = RowAddresses<Tag>(rows.motion, block.bodies.row_a + lane).load();
  const Row motion_b = RowAddresses<Tag>(rows.motion, block.bodies.row_b + lane).load();
  const Vector later = between + tick * (motion_b.first() - motion_a.first());
  const Number distance_later = square_root(dot(later, later));
  const Vector normal_later = inverse_or_zero(distance_later) * later;
  const Number ahead = dot(normal_later, between) - radii;
  const auto passing =
      hn::And(hn::Gt(distance_later.lanes, radii.lanes),
              hn::And(hn::Gt(ahead.lanes, zero.lanes), hn::Gt(distance_now.lanes, zero.lanes)));
  const Vector normal = select(passing, normal_later, found);
  select(balls, normal, Vector(block.normal, lane)).store(block.normal, lane);
  const Number gap = hn::IfThenElse(passing, ahead.lanes, distance_now.lanes);
  const Number old(block.separation + lane);
  const Number separation = hn::IfThenElse(balls, gap.lanes, old.lanes);
  separation.store(block.separation + lane);
  separation.store(block.gap + lane);
  const auto parted = hn::Gt(distance_now.lanes, hn::Set(Tag(), kContactMargin));
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

void refresh_round(const BodyRows& rows, RoundView view, BlockRange range, double tick) {
  for (std::uint32_t i = range.begin; i < range.end; ++i) {
    BallBlock& block = view.blocks[i];
    BallColdBlock& extra = view.extras[i];
    std::uint32_t worn = 0;
    for (std::uint32_t lane = 0; lane < kBlockLanes; lane += kLanes) {
      worn |= place_balls(rows, block, extra, lane, Number(tick));
      prepare_round(rows, block, extra, lane);
    }
    extra.worn = static_cast<std::uint8_t>(worn);
  }
}

// --- general ---

HWY_INLINE std::uint32_t refresh_lanes(const BodyRows& rows, ManifoldBlock& block,
                                       ManifoldColdBlock& extra, std::uint32_t lane) {
  Pairing p;
  const std::uint32_t worn = place_points<false>(rows, block, extra, lane, p);
  p.motion_a = RowAddresses<Tag>(rows.motion, block.bodies.row_a + lane).load();
  p.motion_b = RowAddresses<Tag>(rows.motion, block.bodies.row_b + lane).load();
  p.inertia_a = RowAddresses<Tag>(rows.inertia, block.bodies.row_a + lane).load().symmetric();
  p.inertia_b = RowAddresses<Tag>(rows.inertia, block.bodies.row_b + lane).load().symmetric();
  p.mass = p.motion_a.inverse_mass() + p.motion_b.inverse_mass();
  const AllLanes store;
  store(p.normal, block.normal, lane);
  prepare_points(block, lane, p, store);
  if (block.footer.bounces) prepare_bounce(block, extra, lane, p);
  prepare_friction(block, extra, lane, p, store);
  if (block.footer.has_rolling_resistance) prepare_rolling(extra, lane, p, store);
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

void refresh_round(const BodyRows& rows, RoundView view, BlockRange range, double tick) {
  ORRERY_ASSERT(range.begin <= range.end);
  ORRERY_ASSERT(range.lane == kBlockLanes);
  HWY_DYNAMIC_DISPATCH(refresh_round)(rows, view, range, tick);
}

void refresh_general(const BodyRows& rows, GeneralView view, BlockRange range) {
  ORRERY_ASSERT(range.begin <= range.end);
  ORRERY_ASSERT(range.lane == kBlockLanes);
  HWY_DYNAMIC_DISPATCH(refresh_general)(rows, view, range);
}

}  // namespace orrery::physics
#endif  // HWY_ONCE
