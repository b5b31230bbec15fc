// Runs the passes over general contacts, compiled once per instruction set.
//
// n is the contact normal from body A to B. v and w are velocity and angular velocity. r goes from
// a centre of mass to a point. Each point has the angular Jacobian j = r x n and k = I^-1 j, both
// constant in a tick. No pass has to rotate a vector. With s the separation at the start of the
// tick, and dx and theta the displacement and rotation of a body since then,
//
//   normal speed  u = n.(vB - vA) + jB.wB - jA.wA
//   separation    s + n.(dxB - dxA) + jB.thetaB - jA.thetaA
#include "common/physics/contacts/contact_kernels.h"
#include "common/physics/contacts/contact_settings.h"
#include "common/physics/wide/wide_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/physics/solve/general_passes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "common/physics/wide/wasm_doubles.inl"

HWY_BEFORE_NAMESPACE();
namespace orrery::physics {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "common/physics/solve/passes.inl"

// The inverse inertias of both bodies, for angular impulses that have no precomputed k: friction,
// twist and rolling.
template <class D>
struct Inertias {
  HWY_INLINE Inertias(const BodyRows& rows, const ManifoldBlock& block, std::uint32_t lane)
      : a(RowAddresses<D>(rows.inertia, block.bodies.row_a + lane).load().symmetric()),
        b(RowAddresses<D>(rows.inertia, block.bodies.row_b + lane).load().symmetric()) {}
  // Applies the angular impulse `on_b` to b, and the opposite of `from_a` to a.
  HWY_INLINE void turn(Motions<D>& m, Wide3<D> from_a, Wide3<D> on_b) const {
    m.w_a = m.w_a - a * from_a;
    m.w_b = m.w_b + b * on_b;
  }

  WideSymmetric<D> a, b;
};

// The motion of both bodies since the start of the tick.
template <class D>
struct Moved {
  HWY_INLINE Moved(const BodyRows& rows, const ManifoldBlock& block, Wide3<D> normal,
                   std::uint32_t lane) {
    const WideRow<D> a = RowAddresses<D>(rows.moved, block.bodies.row_a + lane).load();
    const WideRow<D> b = RowAddresses<D>(rows.moved, block.bodies.row_b + lane).load();
    along = dot(normal, b.first() - a.first());
    turned_a = a.second();
    turned_b = b.second();
  }
  // Returns the present separation of a point.
  HWY_INLINE Wide<D> separation(const PointRow& row, std::uint32_t lane) const {
    const Wide<D> turning =
        dot(Wide3<D>(row.j_b, lane), turned_b) - dot(Wide3<D>(row.j_a, lane), turned_a);
    return (Wide<D>(row.separation + lane) + along) + turning;
  }

  Wide<D> along;                // n.(dxB - dxA)
  Wide3<D> turned_a, turned_b;  // thetaA, thetaB
};

#include "common/physics/solve/points_together.inl"

// Returns how fast the arms of a contact swing with their bodies: an angle per time. The arm of a
// round part swings with its core only. An arm along the axis of rotation, or of a body that cannot
// be pushed, does not swing.
template <class D>
HWY_INLINE Wide<D> swing(const ManifoldBlock& block, const ManifoldColdBlock& extra,
                         Wide3<D> normal, const Motions<D>& m, std::uint32_t lane) {
  const auto of = [](Wide3<D> w, Wide3<D> arm, Wide3<D> core, Wide<D> inverse_mass) HWY_ATTR {
    const Wide3<D> way = cross(w, core);
    const Wide<D> squared = dot(way, way) * inverse_or_zero(dot(arm, arm));
    return Wide<D>(hn::IfThenElseZero(hn::Gt(inverse_mass.lanes, hn::Zero(D())), squared.lanes));
  };
  const Wide3<D> arm_a(block.arm_a, lane), arm_b(block.arm_b, lane);
  const Wide3<D> core_a = arm_a - Wide<D>(extra.radius_a + lane) * normal;
  const Wide3<D> core_b = arm_b + Wide<D>(extra.radius_b + lane) * normal;
  return square_root(
      larger(of(m.w_a, arm_a, core_a, m.mass_a), of(m.w_b, arm_b, core_b, m.mass_b)));
}

// Replaces the bits of the lanes of a vector in a mask of lanes.
template <class D>
HWY_INLINE void set_bits(std::uint8_t& mask, std::uint32_t lane, std::uint32_t bits) {
  const std::uint32_t all = (1u << lanes_of<D>()) - 1;
  mask = static_cast<std::uint8_t>((mask & ~(all << lane)) | bits << lane);
}

// Returns the lanes with bodies that move slowly along each other: by up to kGripKicks kicks.
template <class D>
HWY_INLINE auto is_slow(const ManifoldColdBlock& extra, const PassSettings& pass,
                        const Motions<D>& m, std::uint32_t lane) {
  const Wide3<D> speed = m.v_b - m.v_a, spin = m.w_b - m.w_a;
  const Wide<D> extent(extra.extent + lane), most(kGripKicks * pass.kick);
  const Wide<D> moves = dot(speed, speed) + extent * extent * dot(spin, spin);
  return hn::Le(moves.lanes, (most * most).lanes);
}

// Returns the lanes of `some` in which two points are coupled by more than kNarrowCoupling.
template <class D>
HWY_INLINE auto is_narrow(const ManifoldBlock& block, const Motions<D>& m, std::uint32_t lane,
                          hn::Mask<D> some) {
  if (hn::AllFalse(D(), some)) return some;
  Wide<D> most(0.0);
  for (std::uint32_t i = 1; i < block.footer.points; ++i) {
    const PointRow& to = block.points[i];
    const Wide3<D> j_a(to.j_a, lane), j_b(to.j_b, lane);
    for (std::uint32_t j = 0; j < i; ++j) {
      const PointRow& from = block.points[j];
      const Wide<D> speed = (m.mass_a + m.mass_b) + (dot(j_a, Wide3<D>(from.k_a, lane)) +
                                                     dot(j_b, Wide3<D>(from.k_b, lane)));
      const Wide<D> masses = Wide<D>(to.mass + lane) * Wide<D>(from.mass + lane);
      most = larger(most, speed * speed * masses);
    }
  }
  return hn::And(some, hn::Gt(most.lanes, hn::Set(D(), kNarrowCoupling)));
}

// Marks the lanes with more than the least load, the lanes of tall or narrow bodies, and lanes that
// press. `before` has the motion before the warm start, and `m` the one after it. `impulse` is the
// sum of the normal impulses. ContactLoads decides which lanes are under load.
template <class D>
HWY_INLINE void mark_loads(ManifoldBlock& block, const ManifoldColdBlock& extra,
                           const PassSettings& pass, const Motions<D>& m, const Motions<D>& before,
                           Wide<D> impulse, std::uint32_t lane) {
  const Wide<D> load = impulse * larger(m.mass_a, m.mass_b) * Wide<D>(pass.inverse_load);
  const Wide<D> least = Wide<D>(2 * pass.least_load) * Wide<D>(extra.inner_radius + lane);
  Wide<D> masses(0.0);
  for (std::uint32_t i = 0; i < block.footer.points; ++i) {
    masses = masses + Wide<D>(block.points[i].mass + lane);
  }
  const auto presses = hn::Gt(impulse.lanes, hn::Zero(D()));
  const Wide<D> points(extra.count + lane), share = masses * (m.mass_a + m.mass_b);
  const auto flat = hn::Ge(points.lanes, hn::Set(D(), 3.0));
  const auto high = hn::Gt(share.lanes, (Wide<D>(kTallShare) * points).lanes);
  const auto bears = hn::And(flat, hn::Gt(load.lanes, hn::Set(D(), kNarrowLoad)));
  const auto slow = hn::And(bears, is_slow(extra, pass, before, lane));
  const auto tall = hn::Or(hn::And(flat, high), is_narrow(block, m, lane, slow));
  const auto above = hn::Gt((load * load * load).lanes, smaller(least, Wide<D>(1.0)).lanes);
  set_bits<D>(block.footer.loaded, lane, bits_of<D>(above));
  set_bits<D>(block.footer.tall, lane, bits_of<D>(hn::And(tall, presses)));
  set_bits<D>(block.footer.presses, lane, bits_of<D>(presses));
}

// Marks the fresh lanes: contacts with friction and three or more points that had no impulse in the
// last tick, of bodies that begin to slide. `m` has the motion before the warm
// start. A body that rolls is too fast, or touches in one or two points.
template <class D>
HWY_INLINE void mark_fresh(ManifoldBlock& block, const ManifoldColdBlock& extra,
                           const PassSettings& pass, const Motions<D>& m, Wide<D> impulse,
                           std::uint32_t lane) {
  const auto zero = hn::Zero(D());
  const Wide3<D> friction(block.friction_impulse, lane);
  const Wide<D> twist(block.twist_impulse + lane);
  const Wide<D> all = impulse * impulse + (dot(friction, friction) + twist * twist);
  const auto rough = hn::Gt(Wide<D>(block.friction + lane).lanes, zero);
  const auto flat = hn::Gt(Wide<D>(block.points[2].mass + lane).lanes, zero);
  std::uint32_t fresh = bits_of<D>(hn::And(hn::Eq(all.lanes, zero), hn::And(rough, flat)));
  if (fresh != 0) {
    const Wide3<D> normal(block.normal, lane), speed = m.v_b - m.v_a;
    const Wide3<D> sliding = speed - dot(speed, normal) * normal;
    const Wide<D> least(kGripKicksMin * pass.kick);
    const auto slow = is_slow(extra, pass, m, lane);
    const auto slides = hn::Gt(dot(sliding, sliding).lanes, (least * least).lanes);
    fresh &= bits_of<D>(hn::And(slow, slides));
  }
  set_bits<D>(block.footer.fresh, lane, fresh);
}

// Returns a bit mask of the fresh lanes that press.
HWY_INLINE std::uint32_t smooth_lanes(const ManifoldBlock& block) {
  using D = AllLanes;
  if (block.footer.fresh == 0) return 0;
  std::uint32_t lanes = 0;
  for (std::uint32_t lane = 0; lane < kBlockLanes; lane += lanes_of<D>()) {
    Wide<D> pressure(0.0);
    for (std::uint32_t i = 0; i < block.footer.points; ++i) {
      pressure = pressure + Wide<D>(block.points[i].impulse + lane);
    }
    lanes |= bits_of<D>(hn::Gt(pressure.lanes, hn::Zero(D()))) << lane;
  }
  return lanes & block.footer.fresh;
}

// Applies the warm-start impulses, as far as the bodies still need them, and prepares the other
// passes of the tick.
template <class D>
HWY_INLINE void start_lanes(const BodyRows& rows, ManifoldBlock& block, ManifoldColdBlock& extra,
                            const PassSettings& pass, std::uint32_t lane) {
  Motions<D> m(rows, block, lane);
  const Inertias<D> inertias(rows, block, lane);
  const Wide3<D> normal(block.normal, lane);
  const Motions<D> before = m;
  const Wide<D> inverse_time(pass.inverse_time);
  Wide<D> sum(0.0), all(0.0), speeds[kContactPointsMax];
  const Wide<D> share =
      share_after_turn(swing(block, extra, normal, m, lane) * inverse_or_zero(inverse_time));
  for (std::uint32_t i = 0; i < block.footer.points; ++i) {
    speeds[i] = normal_speed(m, block.points[i], normal, lane);
  }
  for (std::uint32_t i = 0; i < block.footer.points; ++i) {
    PointRow& row = block.points[i];
    const Wide<D> impulse =
        closing_impulse<D>(row.impulse + lane, share, Wide<D>(row.mass + lane),
                           Wide<D>(row.gap + lane), speeds[i], inverse_time, all);
    sum = sum + impulse;
    m.w_a = m.w_a - impulse * Wide3<D>(row.k_a, lane);
    m.w_b = m.w_b + impulse * Wide3<D>(row.k_b, lane);
  }
  pick(m, pass.fixed.mass, pass.moving.mass).store(block.soft_mass + lane);
  mark_loads(block, extra, pass, m, before, sum, lane);
  mark_fresh(block, extra, pass, before, sum, lane);
  keep_share<D>(block.friction_impulse, lane, sum, all);
  keep_share<D>(block.twist_impulse + lane, sum, all);
  const Wide3<D> friction = along_surface(block.friction_impulse, normal, lane);
  m.push(sum * normal + friction);
  const Wide3<D> twist = start_impulse<D>(block.twist_impulse + lane) * normal;
  inertias.turn(m, cross(Wide3<D>(block.arm_a, lane), friction) + twist,
                cross(Wide3<D>(block.arm_b, lane), friction) + twist);
  if (block.footer.has_rolling_resistance) {
    keep_share<D>(extra.rolling_impulse, lane, sum, all);
    const Wide3<D> rolling = start_impulse<D>(extra.rolling_impulse, lane);
    inertias.turn(m, rolling, rolling);
  }
  m.store();
}

// Solves the normal constraint of each point, and resolves overlap softly.
template <class D>
HWY_INLINE void solve_lanes(const BodyRows& rows, ManifoldBlock& block, const PassSettings& pass,
                            std::uint32_t lane) {
  Motions<D> m(rows, block, lane);
  const Wide3<D> normal(block.normal, lane);
  const NormalConstraint<D> pushing(pass, m, Wide<D>(block.soft_mass + lane));
  const PerImpulse<D> per_impulse(m, normal);
  const auto rule = [&](const PointRow& row) HWY_ATTR {
    return pushing.answer(Wide<D>(row.mass + lane), Wide<D>(row.gap + lane),
                          Wide<D>(row.impulse + lane));
  };
  begin_together(m, block, normal, per_impulse, pass, lane, rule);
  for (std::uint32_t i = 0; i < block.footer.points; ++i) {
    PointRow& row = block.points[i];
    const Wide<D> old(row.impulse + lane);
    const Wide<D> impulse = rule(row).to(normal_speed(m, row, normal, lane));
    impulse.store(row.impulse + lane);
    per_impulse.push(m, row, impulse - old, lane);
  }
  m.store();
}

// Resists rolling: reduces the relative angular velocity by an angular impulse of at most
// rolling_resistance (a length) times `pressure`, the sum of the normal impulses.
template <class D>
HWY_INLINE void resist_rolling(ManifoldColdBlock& extra, std::uint32_t lane, Wide<D> pressure,
                               const Inertias<D>& inertias, Motions<D>& m) {
  const Wide3<D> diagonal(extra.rolling_mass, lane), mixed(extra.rolling_mass_mixed, lane);
  const WideSymmetric<D> mass{diagonal.x, diagonal.y, diagonal.z, mixed.x, mixed.y, mixed.z};
  const Wide3<D> old(extra.rolling_impulse, lane);
  const Wide<D> limit = Wide<D>(extra.rolling_resistance + lane) * pressure;
  const Wide3<D> impulse = within(old - mass * (m.w_b - m.w_a), limit);
  impulse.store(extra.rolling_impulse, lane);
  inertias.turn(m, impulse - old, impulse - old);
}

// Resists twist, the rotation about the normal, by an angular impulse of at most `grip`. The grip
// is the friction coefficient times the sum, over the points, of normal impulse times lever. A
// lever is the distance of a point from the centre of friction.
template <class D>
HWY_INLINE void resist_twist(ManifoldBlock& block, std::uint32_t lane, Wide3<D> normal,
                             Wide<D> grip, const Inertias<D>& inertias, Motions<D>& m) {
  const Wide<D> old(block.twist_impulse + lane);
  const Wide<D> wanted = old - Wide<D>(block.twist_mass + lane) * dot(normal, m.w_b - m.w_a);
  const Wide<D> impulse = smaller(larger(wanted, Wide<D>(0.0) - grip), grip);
  impulse.store(block.twist_impulse + lane);
  const Wide3<D> change = (impulse - old) * normal;
  inertias.turn(m, change, change);
}

// Resists sliding on both tangents together: P' = P - m u, shortened to `limit`. P is the friction
// impulse, u the sliding velocity at the centre of friction, and m the least effective mass of all
// tangents. This is a step of projected gradient: P stays as it is only if the bodies do not slide,
// or if P has the length `limit` and the direction of -u. A step by the inverse matrix of the
// tangents would end at a P that is not opposed to u.
template <class D>
HWY_INLINE void resist_sliding(ManifoldBlock& block, std::uint32_t lane, Wide3<D> normal,
                               Wide<D> limit, const Inertias<D>& inertias, Motions<D>& m) {
  const Wide3<D> arm_a(block.arm_a, lane), arm_b(block.arm_b, lane);
  const Wide3<D> speed = (m.v_b + cross(m.w_b, arm_b)) - (m.v_a + cross(m.w_a, arm_a));
  const Wide3<D> sliding = speed - dot(speed, normal) * normal;
  const Wide3<D> old(block.friction_impulse, lane);
  const Wide3<D> impulse = within(old - Wide<D>(block.tangent_mass + lane) * sliding, limit);
  impulse.store(block.friction_impulse, lane);
  const Wide3<D> change = impulse - old;
  m.push(change);
  inertias.turn(m, cross(arm_a, change), cross(arm_b, change));
}

// Solves the normal constraint of each point, but ignores overlap. Then applies rolling resistance
// and friction, both against twist and against sliding.
template <class D>
HWY_INLINE void relax_lanes(const BodyRows& rows, ManifoldBlock& block, ManifoldColdBlock& extra,
                            const PassSettings& pass, std::uint32_t lane) {
  Motions<D> m(rows, block, lane);
  const Wide3<D> normal(block.normal, lane);
  const Moved<D> moved(rows, block, normal, lane);
  const Wide<D> inverse_time(pass.inverse_time);
  const PerImpulse<D> per_impulse(m, normal);
  Wide<D> pressure(0.0), levers(0.0);
  for (std::uint32_t i = 0; i < block.footer.points; ++i) {
    moved.separation(block.points[i], lane).store(block.points[i].gap + lane);
  }
  const auto rule = [&](const PointRow& row) HWY_ATTR {
    return relax_rule(Wide<D>(row.mass + lane), Wide<D>(row.gap + lane),
                      Wide<D>(row.impulse + lane), inverse_time);
  };
  begin_together(m, block, normal, per_impulse, pass, lane, rule);
  for (std::uint32_t i = 0; i < block.footer.points; ++i) {
    PointRow& row = block.points[i];
    const Wide<D> old(row.impulse + lane);
    const Wide<D> impulse = rule(row).to(normal_speed(m, row, normal, lane));
    impulse.store(row.impulse + lane);
    per_impulse.push(m, row, impulse - old, lane);
    pressure = pressure + impulse;
    levers = levers + impulse * Wide<D>(block.lever[i] + lane);
  }
  const Inertias<D> inertias(rows, block, lane);
  const Wide<D> friction(block.friction + lane);
  if (block.footer.has_rolling_resistance) resist_rolling(extra, lane, pressure, inertias, m);
  resist_twist(block, lane, normal, friction * levers, inertias, m);
  resist_sliding(block, lane, normal, friction * pressure, inertias, m);
  m.store();
}

// Solves a contact without a friction impulse some times: each time the normal constraint as in
// solve_lanes(), then friction.
template <class D>
HWY_INLINE void grip_lanes(const BodyRows& rows, ManifoldBlock& block, const PassSettings& pass,
                           std::uint32_t lane) {
  const Wide3<D> normal(block.normal, lane);
  const Wide<D> friction(block.friction + lane);
  const Inertias<D> inertias(rows, block, lane);
  for (int sweep = 0; sweep < kGripSweeps; ++sweep) {
    solve_lanes<D>(rows, block, pass, lane);
    Wide<D> pressure(0.0), levers(0.0);
    for (std::uint32_t i = 0; i < block.footer.points; ++i) {
      const Wide<D> impulse(block.points[i].impulse + lane);
      pressure = pressure + impulse;
      levers = levers + impulse * Wide<D>(block.lever[i] + lane);
    }
    Motions<D> m(rows, block, lane);
    resist_twist(block, lane, normal, friction * levers, inertias, m);
    resist_sliding(block, lane, normal, friction * pressure, inertias, m);
    m.store();
  }
}

#include "common/physics/solve/run_pass.inl"

void pass_contacts(ContactPass pass, const BodyRows& rows, GeneralView view, BlockRange range,
                   const PassSettings& settings) {
  run_pass(pass, rows, view, range, settings);
}

}  // namespace HWY_NAMESPACE
}  // namespace orrery::physics
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orrery::physics {

HWY_EXPORT(pass_contacts);

void pass_contacts(ContactPass pass, const BodyRows& rows, GeneralView view, BlockRange range,
                   const PassSettings& settings) {
  ORRERY_ASSERT(range.begin <= range.end && range.lane <= kBlockLanes);
  ORRERY_ASSERT(settings.inverse_time > 0);
  ORRERY_ASSERT(settings.inverse_load >= 0 && settings.inverse_load <= limits::kForceMax);
  HWY_DYNAMIC_DISPATCH(pass_contacts)(pass, rows, view, range, settings);
}

}  // namespace orrery::physics
#endif  // HWY_ONCE
