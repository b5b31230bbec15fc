// Refreshes the contacts of bodies that turn, or that move on curved ground, after each drift.
//
// The passes hold normals, points and inertia for a tick. For a body that turns, this is wrong: an
// impulse along an old normal, or of another inertia, can add energy. Therefore the lane of such a
// contact is placed again at the present poses. The impulses of the last substep stay as they are.
// Their effect on the bodies (BodyRows::pushed) becomes the effect of these impulses at the new
// points.
#include <type_traits>

#include "common/physics/contacts/contact_kernels.h"
#include "common/physics/contacts/contact_settings.h"
#include "common/physics/wide/wide_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/physics/contacts/contact_turn.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "common/physics/wide/wasm_doubles.inl"

HWY_BEFORE_NAMESPACE();
namespace orrery::physics {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "common/physics/contacts/contact_place.inl"

// The linear impulse of the warm start on B, and its angular impulses about both centres of mass.
struct Push {
  Vector linear, angular_a, angular_b;
};

HWY_INLINE Push operator*(Number factor, const Push& p) {
  return {factor * p.linear, factor * p.angular_a, factor * p.angular_b};
}
HWY_INLINE Push operator-(const Push& p, const Push& q) {
  return {p.linear - q.linear, p.angular_a - q.angular_a, p.angular_b - q.angular_b};
}

// Returns the effect of the stored impulses of some contacts: along the normals, friction and
// twist.
HWY_INLINE Push push_of(const ManifoldBlock& block, std::uint32_t lane) {
  const Vector normal(block.normal, lane), friction(block.friction_impulse, lane);
  const Vector twist = Number(block.twist_impulse + lane) * normal;
  Push all{friction, cross(Vector(block.arm_a, lane), friction) + twist,
           cross(Vector(block.arm_b, lane), friction) + twist};
  for (std::uint32_t i = 0; i < block.footer.points; ++i) {
    const PointRow& row = block.points[i];
    const Number impulse(row.impulse + lane);
    all.linear = all.linear + impulse * normal;
    all.angular_a = all.angular_a + impulse * Vector(row.j_a, lane);
    all.angular_b = all.angular_b + impulse * Vector(row.j_b, lane);
  }
  return all;
}

// Returns twice the energy that a push gives to two bodies at rest.
HWY_INLINE Number energy_of(const Pairing& p, const Push& push) {
  return p.mass * dot(push.linear, push.linear) +
         (dot(push.angular_a, p.inertia_a * push.angular_a) +
          dot(push.angular_b, p.inertia_b * push.angular_b));
}

// Returns the share of the impulses that the next passes may change or apply again. An impulse at
// the new points does not undo its effect at the old ones. If the difference has much of the energy
// of the impulse, the impulse is over.
HWY_INLINE Number kept_share(const Pairing& p, const Push& before, const Push& placed) {
  const Number all = energy_of(p, before), lost = energy_of(p, placed - before);
  return share_after_turn(square_root(lost * inverse_or_zero(all)));
}

HWY_INLINE void scale_impulses(ManifoldBlock& block, std::uint32_t lane, Number share,
                               const SomeLanes& store) {
  for (std::uint32_t i = 0; i < block.footer.points; ++i) {
    PointRow& row = block.points[i];
    store(share * Number(row.impulse + lane), row.impulse, lane);
  }
  store(share * Vector(block.friction_impulse, lane), block.friction_impulse, lane);
  store(share * Number(block.twist_impulse + lane), block.twist_impulse, lane);
}

// Adds to `pushed` the change of the effects of the warm start. `writes` names the lanes.
HWY_INLINE void correct(const BodyRows& rows, const std::uint32_t* bodies, std::uint32_t writes,
                        Number mass, const Symmetric& inertia, Vector linear, Vector angular) {
  if (writes == 0) return;
  const RowAddresses<Tag> addresses(rows.pushed, bodies);
  const Row before = addresses.load();
  const Vector v = before.first() + mass * linear, w = before.second() + inertia * angular;
  const Number zero(0.0);
  addresses.store({v.x, v.y, v.z, w.x, w.y, w.z, zero, zero}, writes);
}

// Makes separations fit Moved::separation(): the present one less the motion since the start of the
// tick, as the new j and n measure it.
HWY_INLINE void begin_separations(const BodyRows& rows, const ManifoldBlock& block,
                                  std::uint32_t lane, const Pairing& p, PointRow* points,
                                  const SomeLanes& store) {
  const Row a = RowAddresses<Tag>(rows.moved, block.bodies.row_a + lane).load();
  const Row b = RowAddresses<Tag>(rows.moved, block.bodies.row_b + lane).load();
  const Number along = dot(p.normal, b.first() - a.first());
  for (std::uint32_t i = 0; i < block.footer.points; ++i) {
    const Number turning =
        dot(cross(p.arm_b[i], p.normal), b.second()) - dot(cross(p.arm_a[i], p.normal), a.second());
    store(p.separation[i] - (along + turning), points[i].separation, lane);
  }
}

// Moves the arm of friction of a driven body back by half a drift. The velocity that friction gives
// to the other body acts during the next drift, after the warm start has turned it once more: the
// surface then moves as it does in the middle of that drift.
HWY_INLINE Vector arm_back(Vector arm, const Row& motion, Number half_time) {
  const auto driven = hn::Eq(motion.inverse_mass().lanes, hn::Zero(Tag()));
  const Number time = hn::IfThenElseZero(driven, half_time.lanes);
  return arm - time * cross(motion.second(), arm);
}

// Bodies that bounced in this tick are not pushed apart (contact_impacts.cpp).
HWY_INLINE void touch_if_struck(const ManifoldColdBlock& extra, std::uint32_t lane,
                                std::uint32_t points, Pairing& p) {
  const auto bounces = hn::Gt(Number(extra.restitution + lane).lanes, hn::Zero(Tag()));
  const auto struck = hn::And(mask_of(std::uint32_t{extra.struck} >> lane), bounces);
  for (std::uint32_t i = 0; i < points; ++i) {
    const Number s = p.separation[i], touching = larger(s, Number(0.0));
    p.separation[i] = hn::IfThenElse(struck, touching.lanes, s.lanes);
  }
}

struct Turned {
  const BodyRows& rows;
  const ImpactSettings& settings;

  // Returns the lanes of a block in which a body turns.
  HWY_INLINE std::uint32_t lanes_of_block(const BlockHeader& bodies) const {
    std::uint32_t lanes = 0;
    for (std::uint32_t i = 0; i < kBlockLanes; ++i) {
      lanes |= std::uint32_t{rows.turns(bodies.row_a[i]) || rows.turns(bodies.row_b[i])} << i;
    }
    return lanes;
  }

  // Returns the lanes in which a body is not a driven one that turns too far in a substep.
  HWY_INLINE std::uint32_t followed(const Row& motion) const {
    const auto driven = hn::Eq(motion.inverse_mass().lanes, hn::Zero(Tag()));
    const double most = 0.5 * kDrivenTurnMax / settings.half_time;
    const auto fast =
        hn::Gt(dot(motion.second(), motion.second()).lanes, hn::Set(Tag(), most * most));
    return ~bits_of(hn::And(driven, fast));
  }

  // Returns the lanes of flat contacts that do not press, between bodies that turn slowly.
  HWY_INLINE std::uint32_t idle(const ManifoldBlock& block, const ManifoldColdBlock& extra,
                                std::uint32_t lane) const {
    const Number zero(0.0), most(kIdleTurnMax / settings.tick);
    Number pressure(0.0);
    for (std::uint32_t i = 0; i < block.footer.points; ++i) {
      pressure = pressure + Number(block.points[i].impulse + lane);
    }
    const auto flat = hn::Ge(Number(extra.count + lane).lanes, hn::Set(Tag(), 3.0));
    const auto rests = hn::And(flat, hn::Eq(pressure.lanes, zero.lanes));
    if (hn::AllFalse(Tag(), rests)) return 0;
    const auto slow = [&](const std::uint32_t* bodies) HWY_ATTR {
      const Row body = RowAddresses<Tag>(rows.motion, bodies + lane).load();
      const auto moves = hn::Gt(body.inverse_mass().lanes, zero.lanes);
      return hn::Le(dot(body.second(), body.second()).lanes,
                    hn::IfThenElseZero(moves, (most * most).lanes));
    };
    const auto both = hn::And(slow(block.bodies.row_a), slow(block.bodies.row_b));
    return bits_of(hn::And(rests, both)) & ~(std::uint32_t{extra.struck} >> lane);
  }

  HWY_NOINLINE void operator()(ManifoldBlock& block, ManifoldColdBlock& extra, std::uint32_t lane,
                               std::uint32_t lanes, const Push& before) const {
    const std::uint32_t* const rows_a = block.bodies.row_a + lane;
    const std::uint32_t* const rows_b = block.bodies.row_b + lane;
    Pairing p;
    place_points<true>(rows, block, extra, lane, p);
    load_motions(rows, block.bodies, lane, p);
    lanes &= followed(p.motion_a) & followed(p.motion_b);
    const SomeLanes store(lanes);
    touch_if_struck(extra, lane, block.footer.points, p);
    store(p.normal, block.normal, lane);
    prepare_points<true>(block, extra, lane, settings, p, store);
    begin_separations(rows, block, lane, p, block.points, store);
    prepare_friction(block, extra, lane, p, store);
    if (block.footer.has_rolling_resistance) prepare_rolling(extra, lane, p, store);
    const Vector friction(block.friction_impulse, lane);
    store(friction - dot(friction, p.normal) * p.normal, block.friction_impulse, lane);
    const Push placed = push_of(block, lane);
    const Number share = kept_share(p, before, placed);
    scale_impulses(block, lane, share, store);
    const Push change = share * placed - before;
    correct(rows, rows_a, lanes & block.footer.writes_a >> lane, p.motion_a.inverse_mass(),
            p.inertia_a, negative(change.linear), negative(change.angular_a));
    correct(rows, rows_b, lanes & block.footer.writes_b >> lane, p.motion_b.inverse_mass(),
            p.inertia_b, change.linear, change.angular_b);
    const Number back(settings.half_time);
    store(arm_back(Vector(block.arm_a, lane), p.motion_a, back), block.arm_a, lane);
    store(arm_back(Vector(block.arm_b, lane), p.motion_b, back), block.arm_b, lane);
  }
};

HWY_INLINE Vector all_lanes(const Vec3& v) { return {Number(v.x), Number(v.y), Number(v.z)}; }

// Returns the first lane of the vector that has a lane, and the bit of the lane in the vector.
HWY_INLINE std::uint32_t first_lane(std::uint32_t lane) { return lane / kLanes * kLanes; }
HWY_INLINE std::uint32_t bit_of(std::uint32_t lane) { return 1u << lane % kLanes; }

void follow_general(const BodyRows& rows, GeneralView view, BlockRange range,
                    const ImpactSettings& settings, const ContactPush& before) {
  const Push push{all_lanes(before.linear), all_lanes(before.angular_a),
                  all_lanes(before.angular_b)};
  Turned{rows, settings}(view.blocks[range.begin], view.extras[range.begin], first_lane(range.lane),
                         bit_of(range.lane), push);
}

// The normal force of a round contact causes no rotation: only friction does.
void follow_round(const BodyRows& rows, RoundView view, BlockRange range,
                  const ImpactSettings& settings, const Vec3& before) {
  BallBlock& block = view.blocks[range.begin];
  const BallColdBlock& extra = view.extras[range.begin];
  const std::uint32_t lane = first_lane(range.lane), bit = bit_of(range.lane);
  const std::uint32_t* const rows_a = block.bodies.row_a + lane;
  const std::uint32_t* const rows_b = block.bodies.row_b + lane;
  const SomeLanes store(bit);
  const Row moved_a = RowAddresses<Tag>(rows.moved, rows_a).load();
  const Row moved_b = RowAddresses<Tag>(rows.moved, rows_b).load();
  const Row a = RowAddresses<Tag>(rows.motion, rows_a).load();
  const Row b = RowAddresses<Tag>(rows.motion, rows_b).load();
  const Vector old_normal = all_lanes(before), normal(block.normal, lane);
  const Number impulse(block.impulse + lane);
  const Number zero(0.0), mass = a.inverse_mass() + b.inverse_mass();
  const Number deepest = larger(deepest_of(least_radius(extra, lane), impulse * mass, settings),
                                zero - Number(block.gap + lane));
  const Number bounces = hn::IfThenElseZero(mask_of(std::uint32_t{extra.struck} >> lane),
                                            Number(extra.restitution + lane).lanes);
  const Number least(hn::IfThenZeroElse(hn::Gt(bounces.lanes, zero.lanes), (zero - deepest).lanes));
  const Number separation = larger(Number(block.separation + lane), least);
  store(separation - dot(normal, moved_b.first() - moved_a.first()), block.separation, lane);
  store(separation, block.gap, lane);

  const Vector turned = normal - old_normal;
  const Number share = share_after_turn(square_root(dot(turned, turned)));
  const Vector old_friction(block.friction_impulse, lane);
  const Vector friction = share * (old_friction - dot(old_friction, normal) * normal);
  store(share * impulse, block.impulse, lane);
  store(friction, block.friction_impulse, lane);
  const Vector linear =
      ((share * impulse) * normal + friction) - (impulse * old_normal + old_friction);
  const Vector angular = cross(normal, friction) - cross(old_normal, old_friction);
  const Number arm_a(block.arm_a + lane), arm_b(block.arm_b + lane);
  const auto isotropic = [zero](Number i) HWY_ATTR { return Symmetric{i, i, i, zero, zero, zero}; };
  correct(rows, rows_a, bit & block.footer.writes_a >> lane, a.inverse_mass(),
          isotropic(a.inverse_inertia_x()), negative(linear), negative(arm_a * angular));
  correct(rows, rows_b, bit & block.footer.writes_b >> lane, b.inverse_mass(),
          isotropic(b.inverse_inertia_x()), linear, negative(arm_b * angular));
}

void turn_general(const BodyRows& rows, GeneralView view, BlockRange range,
                  const ImpactSettings& settings) {
  static_assert(kBlockLanes <= 64 && kBlockLanes % kLanes == 0);
  const Turned turn{rows, settings};
  for (std::uint32_t i = range.begin; i < range.end; ++i) {
    std::uint32_t lanes = turn.lanes_of_block(view.blocks[i].bodies);
    if (range.lane != kBlockLanes) lanes &= 1u << range.lane;
    for (std::uint32_t lane = 0; lane < kBlockLanes; lane += kLanes) {
      std::uint32_t some = lanes >> lane & kLaneBits;
      if (some != 0) some &= ~turn.idle(view.blocks[i], view.extras[i], lane);
      if (some == 0) continue;
      turn(view.blocks[i], view.extras[i], lane, some, push_of(view.blocks[i], lane));
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace orrery::physics
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orrery::physics {

HWY_EXPORT(turn_general);
HWY_EXPORT(follow_round);
HWY_EXPORT(follow_general);

void turn_general(const BodyRows& rows, GeneralView view, BlockRange range,
                  const ImpactSettings& settings) {
  ORRERY_ASSERT(range.begin <= range.end && range.lane <= kBlockLanes);
  ORRERY_ASSERT(settings.half_time >= 0);
  HWY_DYNAMIC_DISPATCH(turn_general)(rows, view, range, settings);
}

void follow_round(const BodyRows& rows, RoundView view, BlockRange range,
                  const ImpactSettings& settings, const Vec3& before) {
  ORRERY_ASSERT(range.begin + 1 == range.end && range.lane < kBlockLanes);
  ORRERY_ASSERT(settings.half_time >= 0);
  HWY_DYNAMIC_DISPATCH(follow_round)(rows, view, range, settings, before);
}

void follow_general(const BodyRows& rows, GeneralView view, BlockRange range,
                    const ImpactSettings& settings, const ContactPush& before) {
  ORRERY_ASSERT(range.begin + 1 == range.end && range.lane < kBlockLanes);
  ORRERY_ASSERT(settings.half_time >= 0);
  HWY_DYNAMIC_DISPATCH(follow_general)(rows, view, range, settings, before);
}

}  // namespace orrery::physics
#endif  // HWY_ONCE
