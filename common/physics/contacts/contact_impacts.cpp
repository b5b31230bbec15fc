// Applies the impulses of impacts at the start of a tick, compiled once per instruction set.
//
// An impact happens at the poses of the start of the tick, where normals and points are exact. Both
// bodies get opposite impulses at one point, so an impact keeps momentum and angular momentum. It
// never adds energy.
#include <type_traits>

#include "common/physics/contacts/contact_kernels.h"
#include "common/physics/contacts/contact_settings.h"
#include "common/physics/wide/wide_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/physics/contacts/contact_impacts.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "common/physics/wide/wasm_doubles.inl"

HWY_BEFORE_NAMESPACE();
namespace orrery::physics {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "common/physics/contacts/contact_place.inl"

// Iterations over the points of a contact, after a first guess that is exact for a flat impact.
constexpr int kPointSweeps = 8;
// Impulses that change the normal speed by less than this share of it are left out.
constexpr double kChangeMin = 1e-6;
static_assert(kPointSweeps > 0 && kChangeMin > 0 && kChangeMin < 1);
static_assert(kWaitDepth > 0 && kWaitShare > 0 && kWaitShare < 1);
static_assert(kImpactPassesMax < 256);  // BodyRows::struck has bytes

// Returns the lanes in which an impact needs an impulse: the bodies hit each other, and their
// normal speed u is not yet the speed u1 after the impact.
HWY_INLINE hn::Mask<Tag> needs_impulse(const Meeting& meeting, Number u, Number s, Number u1) {
  const Number least = Number(kChangeMin) * (Number(0.0) - u);
  return hn::And(meeting.hits(u, s), hn::Gt((u1 - u).lanes, least.lanes));
}

// An impact with restitution may have to wait: at the present distance, the bodies have more energy
// than after the impact. If no point of a contact hits without waiting, and no pass has struck
// the contact yet, its points that hit or are open do nothing in this tick, and their impulses of
// the last tick are over. The bodies hit each other in the next tick, a little inside of each
// other.

// A pass over the contacts of some blocks.
struct Strike {
  const BodyRows& rows;
  std::uint32_t pass;
  const ImpactSettings& settings;

  // Returns true if this pass or the previous one changed a body.
  HWY_INLINE bool changed(std::uint32_t row) const {
    return rows.struck[row] != 0 && rows.struck[row] + 1u >= pass;
  }
  // Returns the lanes of a block that the pass processes.
  HWY_INLINE std::uint32_t lanes_of_block(const BlockHeader& bodies, std::uint32_t hits,
                                          const BlockRange& range) const {
    std::uint32_t lanes = pass == 1 ? hits : 0;
    for (std::uint32_t i = 0; i < kBlockLanes; ++i) {
      lanes |= std::uint32_t{changed(bodies.row_a[i]) || changed(bodies.row_b[i])} << i;
    }
    return range.lane == kBlockLanes ? lanes : lanes & 1u << range.lane;
  }
  // Returns the lanes that may get an impulse. `jointed` has a bit for each lane with a body of a
  // joint. After the first pass, only contacts with restitution do: the passes of the substeps stop
  // the other bodies.
  HWY_INLINE std::uint32_t lanes_of(const Meeting& meeting, std::uint32_t lanes,
                                    std::uint32_t jointed) const {
    const std::uint32_t bounce = bits_of(meeting.bounces()), held = jointed & bounce;
    if (settings.lanes == ImpactLanes::held) return lanes & held;
    const std::uint32_t free = settings.lanes == ImpactLanes::free ? lanes & ~held : lanes;
    return pass == 1 ? free : free & bounce;
  }
  // Stores velocities in the lanes `lanes`, and marks the bodies as changed.
  HWY_INLINE void store(const BlockHeader& bodies, const BlockFooter& footer, std::uint32_t lane,
                        std::uint32_t lanes, const Row& a, const Row& b) const {
    const std::uint32_t lanes_a = lanes & footer.writes_a >> lane;
    const std::uint32_t lanes_b = lanes & footer.writes_b >> lane;
    RowAddresses<Tag>(rows.motion, bodies.row_a + lane).store(a, lanes_a);
    RowAddresses<Tag>(rows.motion, bodies.row_b + lane).store(b, lanes_b);
    for (std::uint32_t i = 0; i < kLanes; ++i) {
      const auto number = static_cast<std::uint8_t>(pass);
      if (lanes_a >> i & 1) rows.struck[bodies.row_a[lane + i]] = number;
      if (lanes_b >> i & 1) rows.struck[bodies.row_b[lane + i]] = number;
    }
  }
};

HWY_INLINE Row moved_by(const Row& from, Vector v, Vector w) {
  const Vector first = from.first() + v, second = from.second() + w;
  return {first.x, first.y, first.z, second.x, second.y, second.z, from.n6, from.n7};
}

// Adds the changes by other contacts to the velocities of a body that can be pushed.
HWY_INLINE Row moved_by_others(const Row& from, const SolverBody& others) {
  const auto moves = hn::Gt(from.inverse_mass().lanes, hn::Zero(Tag()));
  const auto of = [&](int i) HWY_ATTR {
    return Number(hn::IfThenElseZero(moves, hn::Set(Tag(), others.at[i])));
  };
  return moved_by(from, {of(0), of(1), of(2)}, {of(3), of(4), of(5)});
}

// --- round ---

// Applies an impulse along the normal, and friction of at most the friction coefficient times this
// impulse.
HWY_INLINE std::uint32_t strike(const Strike& pass, BallBlock& block, BallColdBlock& extra,
                                std::uint32_t lane, std::uint32_t lanes) {
  const BodyRows& rows = pass.rows;
  Row a = RowAddresses<Tag>(rows.motion, block.bodies.row_a + lane).load();
  Row b = RowAddresses<Tag>(rows.motion, block.bodies.row_b + lane).load();
  const Number scale_a = RowAddresses<Tag>(rows.pose, block.bodies.row_a + lane).load().n7;
  const Number scale_b = RowAddresses<Tag>(rows.pose, block.bodies.row_b + lane).load().n7;
  const Vector normal(block.normal, lane);
  const Meeting meeting(pass.settings, normal, scale_b - scale_a, Number(extra.restitution + lane),
                        Number(kWaitDepth) * least_radius(extra, lane));
  Vector between = (b.first() - a.first()) + meeting.lag;
  const Number u = dot(normal, between), s(block.separation + lane);
  const Number wanted = meeting.leave(u, s) - u;
  const auto hits = needs_impulse(meeting, u, s, wanted + u);
  const auto waits = hn::And(hits, meeting.waits(u, s));
  const std::uint32_t some =
      bits_of(hits) & pass.lanes_of(meeting, lanes, block.footer.jointed >> lane);
  const std::uint32_t kept =
      pass.settings.tries ? 0 : ~0u;  // the lanes that may change the contact
  const SomeLanes wait(bits_of(waits) & some & kept & ~(extra.struck >> lane));
  const Number none(0.0);
  wait(none, block.normal_mass, lane);  // so the impulses of the last tick end, too
  const std::uint32_t struck = some & ~bits_of(waits);
  if (struck == 0) return 0;
  const SomeLanes touch(struck & kept & bits_of(meeting.bounces()));
  touch(larger(s, none), block.separation, lane);
  touch(larger(s, none), block.gap, lane);
  const Number push = hn::IfThenElseZero(hits, (Number(block.normal_mass + lane) * wanted).lanes);
  if (pass.settings.tries) {
    a = moved_by_others(a, pass.settings.others);
    b = moved_by_others(b, pass.settings.others);
    between = (b.first() - a.first()) + meeting.lag;
  }
  const Number arm_a(block.arm_a + lane), arm_b(block.arm_b + lane);
  const Vector speed = between - cross(arm_a * a.second() + arm_b * b.second(), normal);
  const Vector sliding = speed - dot(speed, normal) * normal;
  const Vector friction = within((Number(0.0) - Number(block.tangent_mass + lane)) * sliding,
                                 Number(pass.settings.grip) * Number(block.friction + lane) * push);
  const Vector impulse = push * normal + friction;
  const Vector turning = negative(cross(normal, friction));
  pass.store(
      block.bodies, block.footer, lane, struck,
      moved_by(a, negative(a.inverse_mass() * impulse), (arm_a * a.inverse_inertia_x()) * turning),
      moved_by(b, b.inverse_mass() * impulse, (arm_b * b.inverse_inertia_x()) * turning));
  return struck;
}

// --- general ---

// The points of a contact in an impact.
struct Points {
  Vector j_a[kContactPointsMax], j_b[kContactPointsMax];  // r x n
  Vector k_a[kContactPointsMax], k_b[kContactPointsMax];  // I^-1 j
  Number mass[kContactPointsMax];         // effective mass; 0: the point does not hit, or waits
  Number speed[kContactPointsMax];        // normal speed before
  Number wanted[kContactPointsMax];       // change of the normal speed
  Number push[kContactPointsMax];         // impulse
  std::uint32_t hits[kContactPointsMax];  // lanes in which the point hits or is open
  Number sum;                             // of the impulses
  Vector turn_a, turn_b;                  // sums of k times impulse
  std::uint32_t count;

  HWY_INLINE void add(std::uint32_t i, Number impulse) {
    push[i] = push[i] + impulse;
    sum = sum + impulse;
    turn_a = turn_a + impulse * k_a[i];
    turn_b = turn_b + impulse * k_b[i];
  }
  // Returns the change of the normal speed of a point by all impulses. `inverse_mass` is the sum
  // for both bodies.
  HWY_INLINE Number gained(std::uint32_t i, Number inverse_mass) const {
    return inverse_mass * sum + (dot(j_a[i], turn_a) + dot(j_b[i], turn_b));
  }
  HWY_INLINE void scale(Number share) {
    for (std::uint32_t i = 0; i < count; ++i) push[i] = share * push[i];
    sum = share * sum;
    turn_a = share * turn_a;
    turn_b = share * turn_b;
  }
};

// Bit masks of lanes.
struct Hits {
  std::uint32_t found = 0;  // a point hits
  std::uint32_t now = 0;    // such a point need not wait
};

// Finds the points that hit and need not wait.
HWY_INLINE Hits find_hits(const Pairing& p, const Meeting& meeting, std::uint32_t count,
                          Points& q) {
  const Number zero(0.0);
  q.count = count;
  q.sum = zero;
  q.turn_a = q.turn_b = Vector(zero, zero, zero);
  Hits lanes;
  for (std::uint32_t i = 0; i < count; ++i) {
    q.j_a[i] = cross(p.arm_a[i], p.normal);
    q.j_b[i] = cross(p.arm_b[i], p.normal);
    q.k_a[i] = p.inertia_a * q.j_a[i];
    q.k_b[i] = p.inertia_b * q.j_b[i];
    q.speed[i] = normal_speed(p, i) + meeting.normal_lag;
    const Number leave = meeting.leave(q.speed[i], p.separation[i]);
    const auto hits =
        hn::And(has_point(p, i), needs_impulse(meeting, q.speed[i], p.separation[i], leave));
    const auto now = hn::AndNot(meeting.waits(q.speed[i], p.separation[i]), hits);
    const Number inverse = p.mass + (dot(q.j_a[i], q.k_a[i]) + dot(q.j_b[i], q.k_b[i]));
    q.mass[i] = hn::IfThenElseZero(now, inverse_or_zero(inverse).lanes);
    q.wanted[i] = hn::IfThenElseZero(now, (leave - q.speed[i]).lanes);
    q.push[i] = zero;
    lanes.found |= bits_of(hits);
    lanes.now |= bits_of(now);
    q.hits[i] = bits_of(hn::Or(hits, hn::Gt(p.separation[i].lanes, zero.lanes)));
  }
  return lanes;
}

// Computes the impulses of all points that hit together: each point reaches its speed after the
// impact, or gets no impulse. The first guess is in proportion to the need of each point, with the
// best factor. At the end, a factor keeps the impulses P from adding energy. That energy is the sum
// of P u + P du / 2, with u the speeds before and du their changes.
HWY_INLINE void solve_points(Points& q, Number inverse_mass) {
  const Number zero(0.0), one(1.0);
  for (std::uint32_t i = 0; i < q.count; ++i) q.add(i, q.mass[i] * q.wanted[i]);
  Number wanted = zero, gained = zero;
  for (std::uint32_t i = 0; i < q.count; ++i) {
    wanted = wanted + q.push[i] * q.wanted[i];
    gained = gained + q.push[i] * q.gained(i, inverse_mass);
  }
  q.scale(wanted * inverse_or_zero(gained));
  for (int sweep = 0; sweep < kPointSweeps; ++sweep) {
    for (std::uint32_t i = 0; i < q.count; ++i) {
      const Number missing = q.wanted[i] - q.gained(i, inverse_mass);
      q.add(i, larger(q.push[i] + q.mass[i] * missing, zero) - q.push[i]);
    }
  }
  Number taken = zero;
  gained = zero;
  for (std::uint32_t i = 0; i < q.count; ++i) {
    taken = taken - q.push[i] * q.speed[i];
    gained = gained + q.push[i] * q.gained(i, inverse_mass);
  }
  q.scale(larger(zero, smaller(one, Number(2.0) * taken * inverse_or_zero(gained))));
}

// Changes the velocities by friction at the mean of the points, weighted by their impulses: against
// sliding, then against twist.
HWY_INLINE void rub(Pairing& p, const Points& q, Vector lag, Number friction) {
  const Number zero(0.0);
  const Number per_sum = inverse_or_zero(q.sum);
  Vector arm_a(zero, zero, zero), arm_b = arm_a;
  for (std::uint32_t i = 0; i < q.count; ++i) {
    const Number share = per_sum * q.push[i];
    arm_a = arm_a + share * p.arm_a[i];
    arm_b = arm_b + share * p.arm_b[i];
  }
  Number levers = zero;
  for (std::uint32_t i = 0; i < q.count; ++i) {
    const Vector lever = p.arm_a[i] - arm_a;
    levers = levers + q.push[i] * square_root(dot(lever, lever));
  }
  const auto speed_at = [](const Row& motion, Vector arm)
                            HWY_ATTR { return motion.first() + cross(motion.second(), arm); };
  const Vector speed = (speed_at(p.motion_b, arm_b) - speed_at(p.motion_a, arm_a)) + lag;
  const Vector sliding = speed - dot(speed, p.normal) * p.normal;
  const Vector impulse = within((zero - tangent_mass(p, arm_a, arm_b)) * sliding, friction * q.sum);
  p.motion_a = moved_by(p.motion_a, negative(p.motion_a.inverse_mass() * impulse),
                        negative(p.inertia_a * cross(arm_a, impulse)));
  p.motion_b = moved_by(p.motion_b, p.motion_b.inverse_mass() * impulse,
                        p.inertia_b * cross(arm_b, impulse));
  const Number grip = friction * levers;
  const Number turning = dot(p.normal, p.motion_b.second() - p.motion_a.second());
  const Number twist = smaller(larger(zero - twist_mass(p) * turning, zero - grip), grip);
  const Vector none(zero, zero, zero);
  p.motion_a = moved_by(p.motion_a, none, negative(twist * (p.inertia_a * p.normal)));
  p.motion_b = moved_by(p.motion_b, none, twist * (p.inertia_b * p.normal));
}

// Lets go the points that hit or are open in lanes that wait. The other points carry on.
HWY_INLINE void let_go(ManifoldBlock& block, ManifoldColdBlock& extra, std::uint32_t lane,
                       const Points& q, std::uint32_t waiting) {
  ORRERY_ASSERT(q.count <= kContactPointsMax);
  if (waiting == 0) return;
  const Number none(0.0);
  Number all = none, kept = none;
  for (std::uint32_t i = 0; i < q.count; ++i) {
    PointRow& row = block.points[i];
    const SomeLanes gone(waiting & q.hits[i]);
    all = all + Number(row.impulse + lane);
    gone(none, row.mass, lane);
    gone(none, row.impulse, lane);
    kept = kept + Number(row.impulse + lane);
  }
  const SomeLanes wait(waiting);
  const Number share = kept * inverse_or_zero(all);
  wait(share * Vector(block.friction_impulse, lane), block.friction_impulse, lane);
  wait(share * Number(block.twist_impulse + lane), block.twist_impulse, lane);
  wait(share * Vector(extra.rolling_impulse, lane), extra.rolling_impulse, lane);
}

HWY_INLINE std::uint32_t strike(const Strike& pass, ManifoldBlock& block, ManifoldColdBlock& extra,
                                std::uint32_t lane, std::uint32_t lanes) {
  Pairing p;
  place_points<false>(pass.rows, block, extra, lane, p);
  load_motions(pass.rows, block.bodies, lane, p);
  const Meeting meeting(pass.settings, p.normal, p.scale, Number(extra.restitution + lane),
                        Number(kWaitDepth) * Number(extra.inner_radius + lane));
  Points q;
  const Hits hits = find_hits(p, meeting, block.footer.points, q);
  const std::uint32_t some =
      hits.found & pass.lanes_of(meeting, lanes, block.footer.jointed >> lane);
  const Number none(0.0);
  const std::uint32_t kept =
      pass.settings.tries ? 0 : ~0u;  // the lanes that may change the contact
  let_go(block, extra, lane, q, some & kept & ~hits.now & ~(extra.struck >> lane));
  const std::uint32_t struck = some & hits.now;
  if (struck == 0) return 0;
  const SomeLanes touch(struck & kept & bits_of(meeting.bounces()));
  for (std::uint32_t i = 0; i < q.count; ++i) {
    touch(larger(p.separation[i], none), block.points[i].separation, lane);
    touch(larger(p.separation[i], none), block.points[i].gap, lane);
  }
  solve_points(q, p.mass);
  const Vector impulse = q.sum * p.normal;
  p.motion_a =
      moved_by(p.motion_a, negative(p.motion_a.inverse_mass() * impulse), negative(q.turn_a));
  p.motion_b = moved_by(p.motion_b, p.motion_b.inverse_mass() * impulse, q.turn_b);
  if (pass.settings.tries) {
    p.motion_a = moved_by_others(p.motion_a, pass.settings.others);
    p.motion_b = moved_by_others(p.motion_b, pass.settings.others);
  }
  rub(p, q, meeting.lag, Number(pass.settings.grip) * Number(block.friction + lane));
  pass.store(block.bodies, block.footer, lane, struck, p.motion_a, p.motion_b);
  return struck;
}

template <class View>
HWY_INLINE bool strike_all(const Strike& pass, View view, BlockRange range) {
  static_assert(kBlockLanes <= 8);  // a byte has the bits of a block
  std::uint32_t struck = 0;
  for (std::uint32_t i = range.begin; i < range.end; ++i) {
    const std::uint32_t lanes =
        pass.lanes_of_block(view.blocks[i].bodies, view.extras[i].hits, range);
    for (std::uint32_t lane = 0; lane < kBlockLanes; lane += kLanes) {
      const std::uint32_t some = lanes >> lane & kLaneBits;
      if (some == 0) continue;
      const std::uint32_t now = strike(pass, view.blocks[i], view.extras[i], lane, some) << lane;
      if (!pass.settings.tries) view.extras[i].struck |= static_cast<std::uint8_t>(now);
      struck |= now;
    }
  }
  return struck != 0;
}

bool strike_round(const BodyRows& rows, RoundView view, BlockRange range, std::uint32_t pass,
                  const ImpactSettings& settings) {
  return strike_all(Strike{rows, pass, settings}, view, range);
}

bool strike_general(const BodyRows& rows, GeneralView view, BlockRange range, std::uint32_t pass,
                    const ImpactSettings& settings) {
  return strike_all(Strike{rows, pass, settings}, view, range);
}

}  // namespace HWY_NAMESPACE
}  // namespace orrery::physics
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orrery::physics {

HWY_EXPORT(strike_round);
HWY_EXPORT(strike_general);

bool strike_round(const BodyRows& rows, RoundView view, BlockRange range, std::uint32_t pass,
                  const ImpactSettings& settings) {
  ORRERY_ASSERT(range.begin <= range.end && range.lane <= kBlockLanes);
  ORRERY_ASSERT(pass >= 1 && pass <= kImpactPassesMax);
  ORRERY_ASSERT(settings.tick > 0 && settings.speed_min >= 0);
  return HWY_DYNAMIC_DISPATCH(strike_round)(rows, view, range, pass, settings);
}

bool strike_general(const BodyRows& rows, GeneralView view, BlockRange range, std::uint32_t pass,
                    const ImpactSettings& settings) {
  ORRERY_ASSERT(range.begin <= range.end && range.lane <= kBlockLanes);
  ORRERY_ASSERT(pass >= 1 && pass <= kImpactPassesMax);
  ORRERY_ASSERT(settings.tick > 0 && settings.speed_min >= 0);
  return HWY_DYNAMIC_DISPATCH(strike_general)(rows, view, range, pass, settings);
}

}  // namespace orrery::physics
#endif  // HWY_ONCE
