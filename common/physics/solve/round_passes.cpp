// Runs the passes over round contacts, compiled once per instruction set.
//
// n is the contact normal from body A to B, and v and w are velocity and angular velocity. The arms
// a and b are lengths: the contact point is at rA = a n from the centre of A and rB = -b n from B.
// A normal impulse causes no rotation, because r x n = 0. The velocity of B relative to A at the
// contact point is
//
//   u = (vB + wB x rB) - (vA + wA x rA) = vB - vA - (a wA + b wB) x n
#include "common/physics/contacts/contact_kernels.h"
#include "common/physics/wide/wide_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/physics/solve/round_passes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "common/physics/wide/wasm_doubles.inl"

HWY_BEFORE_NAMESPACE();
namespace orrery::physics {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "common/physics/solve/passes.inl"

// Applies a tangential impulse P to body B at the contact point, and the opposite impulse to body
// A. An impulse P at r from the centre changes the angular velocity by I^-1 (r x P).
template <class D>
HWY_INLINE void apply_friction(Motions<D>& m, Wide3<D> normal, Wide<D> arm_a, Wide<D> arm_b,
                               Wide3<D> impulse) {
  m.push(impulse);
  const Wide3<D> turning = cross(normal, impulse);
  m.w_a = m.w_a - (arm_a * m.inertia_a) * turning;
  m.w_b = m.w_b - (arm_b * m.inertia_b) * turning;
}

// Returns the present separation s + n.(dxB - dxA). s is the separation at the start of the tick,
// and dx the displacement of a body since then.
template <class D>
HWY_INLINE Wide<D> separation_now(const BodyRows& rows, const BallBlock& block, Wide3<D> normal,
                                  std::uint32_t lane) {
  const WideRow<D> a = RowAddresses<D>(rows.moved, block.bodies.row_a + lane).load();
  const WideRow<D> b = RowAddresses<D>(rows.moved, block.bodies.row_b + lane).load();
  return Wide<D>(block.separation + lane) + dot(normal, b.first() - a.first());
}

// Applies the warm-start impulses.
template <class D>
HWY_INLINE void start_lanes(const BodyRows& rows, BallBlock& block, BallColdBlock& extra,
                            const PassSettings& pass, std::uint32_t lane) {
  Motions<D> m(rows, block, lane);
  const Wide3<D> normal(block.normal, lane);
  Wide<D> all(0.0);
  const Wide<D> impulse = closing_impulse<D>(
      block.impulse + lane, Wide<D>(1.0), Wide<D>(block.normal_mass + lane),
      Wide<D>(block.gap + lane), dot(normal, m.v_b - m.v_a), Wide<D>(pass.inverse_time), all);
  keep_share<D>(block.friction_impulse, lane, impulse, all);
  m.push(impulse * normal);
  apply_friction(m, normal, Wide<D>(block.arm_a + lane), Wide<D>(block.arm_b + lane),
                 along_surface(block.friction_impulse, normal, lane));
  if (block.footer.has_rolling_resistance) {
    keep_share<D>(extra.rolling_impulse, lane, impulse, all);
    const Wide3<D> rolling = start_impulse<D>(extra.rolling_impulse, lane);
    m.w_a = m.w_a - m.inertia_a * rolling;
    m.w_b = m.w_b + m.inertia_b * rolling;
  }
  m.store();
}

// Solves the normal constraint. Resolves overlap softly: gradually, like a stiff damped spring.
template <class D>
HWY_INLINE void solve_lanes(const BodyRows& rows, BallBlock& block, const PassSettings& pass,
                            std::uint32_t lane) {
  Motions<D> m(rows, block, lane);
  const Wide3<D> normal(block.normal, lane);
  const Wide<D> old(block.impulse + lane);
  const Wide<D> impulse =
      NormalConstraint<D>(pass, m, pick(m, pass.fixed.mass, pass.moving.mass))
          .answer(Wide<D>(block.normal_mass + lane), Wide<D>(block.gap + lane), old)
          .to(dot(normal, m.v_b - m.v_a));
  impulse.store(block.impulse + lane);
  m.push((impulse - old) * normal);
  m.store();
}

// Resists rolling: reduces the relative angular velocity by an angular impulse of at most
// rolling_resistance (a length) times `pressure`, the normal impulse.
template <class D>
HWY_INLINE void resist_rolling(BallColdBlock& extra, std::uint32_t lane, Wide<D> pressure,
                               Motions<D>& m) {
  const Wide3<D> old(extra.rolling_impulse, lane);
  const Wide<D> mass(extra.rolling_mass + lane);
  const Wide<D> limit = Wide<D>(extra.rolling_resistance + lane) * pressure;
  const Wide3<D> impulse = within(old - mass * (m.w_b - m.w_a), limit);
  impulse.store(extra.rolling_impulse, lane);
  const Wide3<D> change = impulse - old;
  m.w_a = m.w_a - m.inertia_a * change;
  m.w_b = m.w_b + m.inertia_b * change;
}

// Solves the normal constraint, but ignores overlap. Then applies rolling resistance, and Coulomb
// friction: an impulse of at most the friction coefficient times the normal impulse.
template <class D>
HWY_INLINE void relax_lanes(const BodyRows& rows, BallBlock& block, BallColdBlock& extra,
                            const PassSettings& pass, std::uint32_t lane) {
  Motions<D> m(rows, block, lane);
  const Wide3<D> normal(block.normal, lane);
  const Wide<D> s = separation_now(rows, block, normal, lane);
  s.store(block.gap + lane);
  const Wide<D> old(block.impulse + lane);
  const Wide<D> impulse =
      relax_rule(Wide<D>(block.normal_mass + lane), s, old, Wide<D>(pass.inverse_time))
          .to(dot(normal, m.v_b - m.v_a));
  impulse.store(block.impulse + lane);
  m.push((impulse - old) * normal);
  if (block.footer.has_rolling_resistance) resist_rolling(extra, lane, impulse, m);

  const Wide<D> arm_a(block.arm_a + lane), arm_b(block.arm_b + lane);
  const Wide3<D> speed = (m.v_b - m.v_a) - cross(arm_a * m.w_a + arm_b * m.w_b, normal);
  const Wide3<D> sliding = speed - dot(speed, normal) * normal;
  const Wide3<D> old_friction(block.friction_impulse, lane);
  const Wide3<D> friction = within(old_friction - Wide<D>(block.tangent_mass + lane) * sliding,
                                   Wide<D>(block.friction + lane) * impulse);
  friction.store(block.friction_impulse, lane);
  apply_friction(m, normal, arm_a, arm_b, friction - old_friction);
  m.store();
}

std::uint32_t smooth_lanes(const BallBlock&) { return 0; }
template <class D>
HWY_INLINE void grip_lanes(const BodyRows&, BallBlock&, const PassSettings&, std::uint32_t) {}

#include "common/physics/solve/run_pass.inl"

void pass_contacts(ContactPass pass, const BodyRows& rows, RoundView view, BlockRange range,
                   const PassSettings& settings) {
  run_pass(pass, rows, view, range, settings);
}

}  // namespace HWY_NAMESPACE
}  // namespace orrery::physics
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orrery::physics {

HWY_EXPORT(pass_contacts);

void pass_contacts(ContactPass pass, const BodyRows& rows, RoundView view, BlockRange range,
                   const PassSettings& settings) {
  ORRERY_ASSERT(range.begin <= range.end && range.lane <= kBlockLanes);
  ORRERY_ASSERT(settings.inverse_time > 0);
  ORRERY_ASSERT(settings.moving.mass > 0 && settings.fixed.mass > 0);
  HWY_DYNAMIC_DISPATCH(pass_contacts)(pass, rows, view, range, settings);
}

}  // namespace orrery::physics
#endif  // HWY_ONCE
