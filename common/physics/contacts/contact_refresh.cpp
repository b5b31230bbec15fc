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
// The balls may stay apart in the tick and the next substep, as they move now. Then the plane
// between them where they are nearest separates them all the way. They pass each other, and the
// contact takes this plane, which pushes nothing. The plane between them now would push.
HWY_INLINE std::uint32_t place_balls(const BodyRows& rows, BallBlock& block, BallColdBlock& extra,
                                     std::uint32_t lane, const ImpactSettings& settings) {
  const Number zero(0.0), horizon(settings.tick + 2 * settings.half_time);
  const auto balls = mask_of(std::uint32_t{extra.balls} >> lane & kLaneBits);
  const Row a = RowAddresses<Tag>(rows.pose, block.bodies.row_a + lane).load();
  const Row b = RowAddresses<Tag>(rows.pose, block.bodies.row_b + lane).load();
  const Vector between = b.first() - a.first();
  const Number distance = square_root(dot(between, between));
  const Number per_distance = inverse_or_zero(distance);
  const auto apart = hn::Gt(distance.lanes, hn::Zero(Tag()));
  const Vector up(zero, Number(1.0), zero);
  const Vector found = select(apart, per_distance * between, up);
  const Number radii = Number(extra.radius_a + lane) + Number(extra.radius_b + lane);
  const Number distance_now = distance - radii;
  const Row motion_a = RowAddresses<Tag>(rows.motion, block.bodies.row_a + lane).load();
  const Row motion_b = RowAddresses<Tag>(rows.motion, block.bodies.row_b + lane).load();
  const Vector speed = motion_b.first() - motion_a.first();
  const Number when = (zero - dot(between, speed)) * inverse_or_zero(dot(speed, speed));
  const Vector nearest = between + larger(zero, smaller(when, horizon)) * speed;
  const Number distance_then = square_root(dot(nearest, nearest));
  const Vector normal_then = inverse_or_zero(distance_then) * nearest;
  const Number ahead = dot(normal_then, between) - radii;
  const auto passing =
      hn::And(hn::Gt(distance_then.lanes, radii.lanes),
              hn::And(hn::Gt(ahead.lanes, zero.lanes), hn::Gt(distance_now.lanes, zero.lanes)));
  const Vector normal = select(passing, normal_then, found);
  select(balls, normal, Vector(block.normal, lane)).store(block.normal, lane);
  const Number gap = hn::IfThenElse(passing, ahead.lanes, distance_now.lanes);
  const Number old(block.separation + lane);
  const Number inner = least_radius(extra, lane);
  const Number mass = motion_a.inverse_mass() + motion_b.inverse_mass();
  const Number bound = deepest_of(inner, Number(block.impulse + lane) * mass, settings);
  const Number now(hn::IfThenElse(balls, gap.lanes, old.lanes));
  const Number separation = larger(now, Number(0.0) - bound);
  separation.store(block.separation + lane);
  separation.store(block.gap + lane);
  const Number margin =
      larger(Number(kMarginShareMin) * inner,
             smaller(Number(settings.margin.fall), Number(kMarginShareMax) * inner));
  const auto parted = hn::Gt(distance_now.lanes, margin.lanes);
  return bits_of(hn::And(balls, parted)) << lane;
}

// Computes the arms a and b of a round contact: the distances from the two centres to the contact
// point. Also computes its effective masses along the normal and along a tangent. With mA, mB the
// masses and IA, IB the moments of inertia:
//
//   normal   1 / (1/mA + 1/mB)
//   tangent  1 / (1/mA + 1/mB + a^2/IA + b^2/IB)
//
// Returns a bit mask of the lanes of the block with bodies that hit each other.
HWY_INLINE std::uint32_t prepare_round(const BodyRows& rows, BallBlock& block, BallColdBlock& extra,
                                       std::uint32_t lane, const ImpactSettings& settings) {
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
  if (block.footer.has_rolling_resistance) {
    inverse_or_zero(a.inverse_inertia_x() + b.inverse_inertia_x()).store(extra.rolling_mass + lane);
  }
  const Number scale_a = RowAddresses<Tag>(rows.pose, block.bodies.row_a + lane).load().n7;
  const Number scale_b = RowAddresses<Tag>(rows.pose, block.bodies.row_b + lane).load().n7;
  const Meeting meeting(settings, normal, scale_b - scale_a, Number(extra.restitution + lane),
                        Number(0.0));
  const Number speed = dot(normal, b.first() - a.first()) + meeting.normal_lag;
  return bits_of(meeting.hits(speed, Number(block.separation + lane))) << lane;
}

void refresh_round(const BodyRows& rows, RoundView view, BlockRange range,
                   const ImpactSettings& settings) {
  for (std::uint32_t i = range.begin; i < range.end; ++i) {
    BallBlock& block = view.blocks[i];
    BallColdBlock& extra = view.extras[i];
    std::uint32_t worn = 0, hits = 0;
    for (std::uint32_t lane = 0; lane < kBlockLanes; lane += kLanes) {
      worn |= place_balls(rows, block, extra, lane, settings);
      hits |= prepare_round(rows, block, extra, lane, settings);
    }
    extra.worn = static_cast<std::uint8_t>(worn);
    extra.hits = static_cast<std::uint8_t>(hits);
    extra.struck = 0;
  }
}

// --- general ---

// The lanes of a vector, as bits.
struct Found {
  std::uint32_t worn, hits;
};

HWY_INLINE Found refresh_lanes(const BodyRows& rows, ManifoldBlock& block, ManifoldColdBlock& extra,
                               std::uint32_t lane, const ImpactSettings& settings) {
  Pairing p;
  const std::uint32_t worn = place_points<false>(rows, block, extra, lane, p);
  load_motions(rows, block.bodies, lane, p);
  const AllLanes store;
  store(p.normal, block.normal, lane);
  prepare_points<false>(block, extra, lane, settings, p, store);
  prepare_friction(block, extra, lane, p, store);
  if (block.footer.has_rolling_resistance) prepare_rolling(extra, lane, p, store);
  const Meeting meeting(settings, p.normal, p.scale, Number(extra.restitution + lane), Number(0.0));
  std::uint32_t hits = 0;
  for (std::uint32_t i = 0; i < block.footer.points; ++i) {
    const Number speed = normal_speed(p, i) + meeting.normal_lag;
    hits |= bits_of(hn::And(has_point(p, i), meeting.hits(speed, p.separation[i])));
  }
  return {worn << lane, hits << lane};
}

void refresh_general(const BodyRows& rows, GeneralView view, BlockRange range,
                     const ImpactSettings& settings) {
  for (std::uint32_t i = range.begin; i < range.end; ++i) {
    std::uint32_t worn = 0, hits = 0;
    for (std::uint32_t lane = 0; lane < kBlockLanes; lane += kLanes) {
      const Found found = refresh_lanes(rows, view.blocks[i], view.extras[i], lane, settings);
      worn |= found.worn;
      hits |= found.hits;
    }
    view.extras[i].worn = static_cast<std::uint8_t>(worn);
    view.extras[i].hits = static_cast<std::uint8_t>(hits);
    view.extras[i].struck = 0;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace orrery::physics
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orrery::physics {

HWY_EXPORT(refresh_round);
HWY_EXPORT(refresh_general);

void refresh_round(const BodyRows& rows, RoundView view, BlockRange range,
                   const ImpactSettings& settings) {
  ORRERY_ASSERT(range.begin <= range.end);
  ORRERY_ASSERT(range.lane == kBlockLanes);
  ORRERY_ASSERT(settings.tick > 0);
  ORRERY_ASSERT(settings.speed_min >= 0);
  HWY_DYNAMIC_DISPATCH(refresh_round)(rows, view, range, settings);
}

void refresh_general(const BodyRows& rows, GeneralView view, BlockRange range,
                     const ImpactSettings& settings) {
  ORRERY_ASSERT(range.begin <= range.end);
  ORRERY_ASSERT(range.lane == kBlockLanes);
  ORRERY_ASSERT(settings.tick > 0);
  ORRERY_ASSERT(settings.speed_min >= 0);
  HWY_DYNAMIC_DISPATCH(refresh_general)(rows, view, range, settings);
}

}  // namespace orrery::physics
#endif  // HWY_ONCE
