// Solves trees of joints directly, one tree in each lane.
//
// The method is RATTLE (H. C. Andersen, J. Comput. Phys. 52, 1983). Impulses along the gradient of
// the constraints before a drift make the positions after the drift meet the constraints. Then the
// velocities are projected with the gradient after the drift. RATTLE is symplectic and of order 2
// (Hairer, Lubich, Wanner, Geometric Numerical Integration, VII.1.4).
#include "common/physics/joints/tree_passes.h"

#include <numbers>
#include <utility>

#include "common/core/limits.h"
#include "common/math/elementary.h"
#include "common/physics/joints/joint_rows.h"
#include "common/physics/wide/wide_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/physics/joints/tree_passes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "common/physics/wide/wasm_doubles.inl"

HWY_BEFORE_NAMESPACE();
namespace orrery::physics {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "common/integrate/cayley.inl"
#include "common/physics/joints/joint_kinds.inl"
#include "common/physics/wide/wide.inl"
// After both:
#include "common/physics/joints/tree_lanes.inl"
#include "common/physics/joints/tree_loads.inl"
#include "common/physics/joints/tree_tension.inl"

// Newton's iteration ends after a round at whose start no error was above kErrorMost (an angle, or
// a share of the size of the link), or after kRoundsMax rounds. A round multiplies errors by a
// factor, which is smaller if the bodies turn by smaller angles in a substep.
constexpr double kErrorMost = 1e-6;
constexpr int kRoundsMax = 8;

// The fraction of its error that a tree corrects in a substep if it has contacts, or if Newton's
// iteration does not converge. With a larger fraction, a tree with contacts presses its bodies
// deeper into the bodies that they touch.
constexpr double kSoftShare = 0.28;

// Compliances of links that close loops (soften_loops()): usually, and where a tree corrects a
// fraction of its error.
constexpr double kCompliance = 1e-11;
constexpr double kSoftCompliance = 1e-2;

// --- velocities ---

template <class D>
HWY_INLINE Wide<D> speed(const Lanes<D>& lanes, const TreeLink& link, std::uint32_t r) {
  const Wide3<D> dv = lanes.vector(lanes.body(link.b, TreeBody::velocity)) -
                      lanes.vector(lanes.body(link.a, TreeBody::velocity));
  const Wide3<D> w_a = lanes.vector(lanes.body(link.a, TreeBody::angular_velocity));
  const Wide3<D> w_b = lanes.vector(lanes.body(link.b, TreeBody::angular_velocity));
  return dot(lanes.vector(lanes.row(r, TreeRow::n)), dv) +
         (dot(lanes.vector(lanes.row(r, TreeRow::j_b)), w_b) -
          dot(lanes.vector(lanes.row(r, TreeRow::j_a)), w_a));
}

// Subtracts the effects of the impulses of all rows (TreeRow::impulse) from the velocities.
template <class D>
HWY_NOINLINE void pull(const Lanes<D>& lanes, const TreePlan& plan) {
  add_loads(lanes, plan);
  for (const TreeLink& link : plan.links) {
    const auto at = [&](std::uint32_t body, std::uint32_t number)
                        HWY_ATTR { return lanes.vector(lanes.body(body, number)); };
    const Wide<D> mass_a(lanes.body(link.a, TreeBody::inverse_mass));
    const Wide<D> mass_b(lanes.body(link.b, TreeBody::inverse_mass));
    Wide3<D> v_a = at(link.a, TreeBody::velocity), w_a = at(link.a, TreeBody::angular_velocity);
    Wide3<D> v_b = at(link.b, TreeBody::velocity), w_b = at(link.b, TreeBody::angular_velocity);
    for (std::uint32_t r = link.first_row; r < link.first_row + link.rows; ++r) {
      const Wide<D> p(lanes.row(r, TreeRow::impulse));
      const Wide3<D> along = p * lanes.vector(lanes.row(r, TreeRow::n));
      v_a = v_a + mass_a * along;
      v_b = v_b - mass_b * along;
      w_a = w_a + p * lanes.vector(lanes.row(r, TreeRow::k_a));
      w_b = w_b - p * lanes.vector(lanes.row(r, TreeRow::k_b));
    }
    lanes.store(lanes.body(link.a, TreeBody::velocity), v_a);
    lanes.store(lanes.body(link.a, TreeBody::angular_velocity), w_a);
    lanes.store(lanes.body(link.b, TreeBody::velocity), v_b);
    lanes.store(lanes.body(link.b, TreeBody::angular_velocity), w_b);
  }
}

// Loads the velocities of the bodies, also as start velocities. First adds `gravity`, times the
// gravity scale of each body, to the velocities in the lanes where `felt` is 1. The kick before the
// solve pass applied the gravity of the whole substep. RATTLE needs one half before the drift and
// the other half after it. `gravity` is therefore minus one half in meet_positions(), and plus one
// half in project_velocities(). The velocities of a tree that is not free are half a substep old,
// and those of a tree that was free are up to date. The halves also convert them.
template <class D>
HWY_NOINLINE void load_velocities(const BodyRows& rows, const Lanes<D>& lanes, const double* felt,
                                  const Vec3& gravity) {
  const TreeBatch& batch = lanes.batch;
  const Wide<D> free(felt + lanes.lane);
  const Wide3<D> g{Wide<D>(gravity.x) * free, Wide<D>(gravity.y) * free, Wide<D>(gravity.z) * free};
  clear_loads<D>(lanes, *batch.plan, hn::Ge(hn::Zero(D()), hn::Zero(D())));
  for (std::uint32_t b = 0; b < batch.plan->bodies; ++b) {
    const std::uint32_t* const slots = batch.slots + std::size_t{b} * batch.lanes + lanes.lane;
    const WideRow<D> motion = RowAddresses<D>(rows.motion, slots).load();
    const Wide<D> scale(lanes.body(b, TreeBody::gravity_scale));
    lanes.store(lanes.body(b, TreeBody::velocity), motion.first() + scale * g);
    lanes.store(lanes.body(b, TreeBody::angular_velocity), motion.second());
    lanes.store(lanes.body(b, TreeBody::start_velocity), motion.first() + scale * g);
    lanes.store(lanes.body(b, TreeBody::start_angular_velocity), motion.second());
  }
}

// Stores the velocities of the bodies that can be pushed: their inverse mass is not 0. Adds 0 to
// each component, which turns -0 into 0. Some bits would otherwise depend on other lanes: a lane
// that has converged gets impulses of 0 while other lanes need more rounds, and an impulse of 0
// turns some -0 into 0.
template <class D>
HWY_NOINLINE void store_velocities(const BodyRows& rows, const Lanes<D>& lanes) {
  const TreeBatch& batch = lanes.batch;
  for (std::uint32_t b = 0; b < batch.plan->bodies; ++b) {
    const std::uint32_t* const slots = batch.slots + std::size_t{b} * batch.lanes + lanes.lane;
    const double* const mass = lanes.body(b, TreeBody::inverse_mass);
    std::uint32_t bits = batch.used >> lanes.lane;
    for (std::uint32_t i = 0; i < lanes_of<D>(); ++i) {
      if (!(mass[i] > 0)) bits &= ~(1u << i);
    }
    const RowAddresses<D> at(rows.motion, slots);
    WideRow<D> motion = at.load();
    const Wide3<D> v = lanes.vector(lanes.body(b, TreeBody::velocity));
    const Wide3<D> w = lanes.vector(lanes.body(b, TreeBody::angular_velocity));
    const Wide<D> o(0.0);
    at.store({v.x + o, v.y + o, v.z + o, w.x + o, w.y + o, w.z + o, motion.n6, motion.n7}, bits);
  }
}

// Computes the pose of a body after a drift of length h without gravity, as drift_tiles()
// (motion/drift.h) would.
template <class D>
HWY_INLINE void predict(const Lanes<D>& lanes, std::uint32_t body, double h) {
  const Wide3<D> x = lanes.vector(lanes.body(body, TreeBody::position));
  const Wide3<D> v = lanes.vector(lanes.body(body, TreeBody::velocity));
  lanes.store(lanes.body(body, TreeBody::next_position), x + Wide<D>(h) * v);
  auto q = lanes.rotation(lanes.body(body, TreeBody::orientation));
  const Wide3<D> w = lanes.vector(lanes.body(body, TreeBody::angular_velocity));
  const Wide3<D> inverse = lanes.vector(lanes.body(body, TreeBody::inverse_moments));
  const Wide3<D> turning = WideRotation<D>(q.v, q.w).to_body(w);
  Wide3<D> l{turning.x * inverse_or_zero(inverse.x), turning.y * inverse_or_zero(inverse.y),
             turning.z * inverse_or_zero(inverse.z)};
  cayley_step(Wide<D>(h), inverse.x, inverse.y, inverse.z, l.x, l.y, l.z, q.v.x, q.v.y, q.v.z, q.w);
  lanes.store(lanes.body(body, TreeBody::next_orientation), q);
}

// Returns the square of the size of a link: of its arms, its length, and the radii of gyration of
// its bodies.
template <class D>
HWY_INLINE Wide<D> squared_size(const Lanes<D>& lanes, const TreeLink& link,
                                const LinkFrame<D>& frame) {
  const auto gyration = [&](std::uint32_t body) HWY_ATTR {
    const Wide3<D> inverse = lanes.vector(lanes.body(body, TreeBody::inverse_moments));
    const Wide<D> moments =
        inverse_or_zero(inverse.x) + (inverse_or_zero(inverse.y) + inverse_or_zero(inverse.z));
    return Wide<D>(lanes.body(body, TreeBody::inverse_mass)) * moments;
  };
  return (dot(frame.arm_a, frame.arm_a) + dot(frame.arm_b, frame.arm_b)) +
         (dot(frame.between, frame.between) + (gyration(link.a) + gyration(link.b)));
}

// Writes the errors at the predicted poses, times `rate`, to the numbers `impulse` of the rows.
// Rows of lanes outside `active` get 0. Returns the lanes of `active` with an error above
// kErrorMost.
template <class D>
HWY_INLINE hn::Mask<D> write_next_errors(const Lanes<D>& lanes, const TreePlan& plan, Wide<D> rate,
                                         hn::Mask<D> active) {
  const Wide<D> one(1.0);
  Wide<D> most(0.0);  // squared
  for (std::uint32_t i = 0; i < plan.links.size(); ++i) {
    const TreeLink& link = plan.links[i];
    const LinkFrame<D> frame(lanes, i, link, TreeBody::next_position, TreeBody::next_orientation);
    add_rows(link, frame, ErrorWriter<D>{lanes, link.first_row});
    const Wide<D> per_length = inverse_or_zero(squared_size(lanes, link, frame));
    const std::uint32_t angles = link.first_row + link.lengths;
    for (std::uint32_t r = link.first_row; r < link.first_row + link.rows; ++r) {
      double* const at = lanes.row(r, TreeRow::impulse);
      const Wide<D> error(hn::IfThenElseZero(active, Wide<D>(at).lanes));
      most = larger(most, (error * error) * (r < angles ? per_length : one));
      (rate * error).store(at);
    }
  }
  return hn::Gt(most.lanes, hn::Set(D(), kErrorMost * kErrorMost));
}

// Solves the errors of the next poses to first order in the lanes of `active`: finds the impulses
// with which the errors change at the speed -rate * error. With rate = share / h, a drift of length
// h removes this share of the errors.
template <class D>
HWY_NOINLINE void find_impulses(const Lanes<D>& lanes, const TreePlan& plan, const Wide<D>& rate,
                                const hn::Mask<D>& active) {
  for (const TreeLink& link : plan.links) {
    for (std::uint32_t r = link.first_row; r < link.first_row + link.rows; ++r) {
      const Wide<D> wanted = speed(lanes, link, r) + rate * Wide<D>(lanes.row(r, TreeRow::error));
      Wide<D>(hn::IfThenElseZero(active, wanted.lanes)).store(lanes.row(r, TreeRow::impulse));
    }
  }
  substitute(lanes, plan);
}

// Sets the velocities in the lanes of `lost`, where Newton's iteration failed, back to the start.
template <class D>
HWY_NOINLINE void start_again(const Lanes<D>& lanes, const TreePlan& plan,
                              const hn::Mask<D>& lost) {
  constexpr std::uint32_t kStart = TreeBody::start_velocity - TreeBody::velocity;
  static_assert(TreeBody::angular_velocity == TreeBody::velocity + 3);
  static_assert(TreeBody::start_angular_velocity == TreeBody::angular_velocity + kStart);
  clear_loads<D>(lanes, plan, lost);
  for (std::uint32_t b = 0; b < plan.bodies; ++b) {
    for (std::uint32_t i = 0; i < 6; ++i) {
      double* const at = lanes.body(b, TreeBody::velocity + i);
      const Wide<D> start(lanes.body(b, TreeBody::velocity + i + kStart));
      Wide<D>(hn::IfThenElse(lost, start.lanes, Wide<D>(at).lanes)).store(at);
    }
  }
}

// Runs Newton's iteration in the lanes of `active`. It did not converge in the lanes that are left.
template <class D>
HWY_NOINLINE void meet_exactly(const Lanes<D>& lanes, const TreePlan& plan, double h,
                               hn::Mask<D>& active) {
  ORRERY_ASSERT(h > 0);
  for (int round = 0; round < kRoundsMax && !hn::AllFalse(D(), active); ++round) {
    for (std::uint32_t b = 0; b < plan.bodies; ++b) predict(lanes, b, h);
    active = write_next_errors(lanes, plan, Wide<D>(1 / h), active);
    substitute(lanes, plan);
    pull(lanes, plan);
  }
}

// Gives kSoftCompliance to the loops in the lanes of `some`, and factors the matrix again.
template <class D>
HWY_NOINLINE void soften(const Lanes<D>& lanes, const TreePlan& plan, const hn::Mask<D>& some) {
  if (!plan.closes || hn::AllFalse(D(), some)) return;
  double* const at = lanes.batch.compliance + lanes.lane;
  Wide<D>(hn::IfThenElse(some, hn::Set(D(), kSoftCompliance), Wide<D>(at).lanes)).store(at);
  factor_rows(lanes);
}

template <class D>
void meet_lanes(const BodyRows& rows, const Lanes<D>& lanes, const Substep& step) {
  const TreePlan& plan = *lanes.batch.plan;
  const Wide<D> rate(1 / step.h), soft_rate(kSoftShare / step.h);
  const Wide<D> closed =
      Wide<D>(lanes.batch.free + lanes.lane) - Wide<D>(lanes.batch.open + lanes.lane);
  const auto free = hn::Gt(closed.lanes, hn::Zero(D()));
  load_velocities(rows, lanes, lanes.batch.taken, (-0.5 * step.h) * step.gravity);
  const auto all = hn::Ge(hn::Zero(D()), hn::Zero(D()));
  const Wide<D> first_rate(hn::IfThenElse(free, rate.lanes, soft_rate.lanes));
  if (!lanes.batch.repeats) soften<D>(lanes, plan, hn::Not(free));
  find_impulses<D>(lanes, plan, first_rate, all);
  if (!lanes.batch.repeats && find_tension(lanes, plan, step.h))
    find_impulses<D>(lanes, plan, first_rate, all);
  pull(lanes, plan);
  auto active = free;
  meet_exactly<D>(lanes, plan, step.h, active);
  if (plan.closes) active = hn::Or(active, hn::And(free, gains_energy(lanes, plan)));
  double share = kShareFirst;
  const int attempts = lanes.batch.repeats || plan.closes ? 0 : kAttemptsMax;
  for (int i = 0; i < attempts && !hn::AllFalse(D(), active); ++i) {
    start_again<D>(lanes, plan, active);
    add_points<D>(lanes, plan, share, active);
    meet_exactly<D>(lanes, plan, step.h, active);
    share *= kShareGrowth;
  }
  if (!hn::AllFalse(D(), active)) {
    start_again<D>(lanes, plan, active);
    soften<D>(lanes, plan, active);
    find_impulses<D>(lanes, plan, soft_rate, active);
    pull(lanes, plan);
  }
  keep_energy(lanes, plan);
  store_velocities(rows, lanes);
}

// Finds the impulses that remove the speed along the rows.
template <class D>
HWY_INLINE void find_projection(const Lanes<D>& lanes, const TreePlan& plan) {
  for (const TreeLink& link : plan.links) {
    for (std::uint32_t r = link.first_row; r < link.first_row + link.rows; ++r) {
      speed(lanes, link, r).store(lanes.row(r, TreeRow::impulse));
    }
  }
  substitute(lanes, plan);
}

template <class D>
void project_lanes(const BodyRows& rows, const Lanes<D>& lanes, const Substep& step) {
  const TreePlan& plan = *lanes.batch.plan;
  load_velocities(rows, lanes, lanes.batch.given, (0.5 * step.h) * step.gravity);
  if (*lanes.batch.stiff && !lanes.batch.repeats) damp_links(lanes, plan);
  find_projection(lanes, plan);
  pull(lanes, plan);
  if (*lanes.batch.stiff && lanes.batch.repeats) bound_energy(lanes, plan, Wide<D>(0.0));
  store_velocities(rows, lanes);
}

template <class D>
void begin_lanes(const BodyRows& rows, const Lanes<D>& lanes, double h) {
  const TreePlan& plan = *lanes.batch.plan;
  load_velocities(rows, lanes, lanes.batch.given, {});
  find_projection(lanes, plan);
  if (find_tension(lanes, plan, h)) find_projection(lanes, plan);
  pull(lanes, plan);
  store_velocities(rows, lanes);
}

// Computes the rows of a vector of lanes, and factors their matrix.
template <class D>
void factor_lanes(const Bodies& bodies, const Lanes<D>& lanes) {
  const TreePlan& plan = *lanes.batch.plan;
  for (std::uint32_t b = 0; b < plan.bodies; ++b) load_body(bodies, lanes, b);
  for (std::uint32_t i = 0; i < plan.links.size(); ++i) {
    const TreeLink& link = plan.links[i];
    const LinkFrame<D> frame(lanes, i, link, TreeBody::position, TreeBody::orientation);
    const auto inverse = [&](std::uint32_t body) HWY_ATTR {
      return lanes.symmetric(lanes.body(body, TreeBody::inverse_inertia));
    };
    add_rows(link, frame, RowWriter<D>{lanes, inverse(link.a), inverse(link.b), link.first_row});
  }
  Wide<D>(0.0).store(lanes.batch.open + lanes.lane);
  Wide<D>(kCompliance).store(lanes.batch.compliance + lanes.lane);
  if (*lanes.batch.stiff) add_inertia(lanes);
  factor_rows(lanes);
}

// Calls pass(lanes) for the lanes of a batch, one vector of lanes after another.
template <class Pass>
HWY_INLINE void for_lanes(const TreeBatch& batch, Pass pass) {
  using One = hn::CappedTag<double, 1>;
  using Many = hn::CappedTag<double, kTreeLanes>;
  if (batch.lanes == 1) return pass(Lanes<One>{batch, 0});
  for (std::uint32_t lane = 0; batch.used >> lane != 0; lane += lanes_of<Many>()) {
    pass(Lanes<Many>{batch, lane});
  }
}

void factor_trees(const Bodies& bodies, const TreeBatch& batch) {
  for_lanes(batch, [&](const auto& lanes) HWY_ATTR { factor_lanes(bodies, lanes); });
}

void meet_positions(const BodyRows& rows, const TreeBatch& batch, const Substep& step) {
  for_lanes(batch, [&](const auto& lanes) HWY_ATTR { meet_lanes(rows, lanes, step); });
}

void begin_driven(const BodyRows& rows, const TreeBatch& batch, double h) {
  for_lanes(batch, [&](const auto& lanes) HWY_ATTR { begin_lanes(rows, lanes, h); });
}

void project_velocities(const BodyRows& rows, const TreeBatch& batch, const Substep& step) {
  for_lanes(batch, [&](const auto& lanes) HWY_ATTR { project_lanes(rows, lanes, step); });
}

}  // namespace HWY_NAMESPACE
}  // namespace orrery::physics
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orrery::physics {

HWY_EXPORT(factor_trees);
HWY_EXPORT(meet_positions);
HWY_EXPORT(project_velocities);
HWY_EXPORT(begin_driven);

void factor_trees(const Bodies& bodies, const TreeBatch& batch) {
  ORRERY_ASSERT(batch.lanes == 1 || batch.lanes == kTreeLanes);
  ORRERY_ASSERT(batch.plan != nullptr && batch.used != 0);
  HWY_DYNAMIC_DISPATCH(factor_trees)(bodies, batch);
}

void meet_positions(const BodyRows& rows, const TreeBatch& batch, const Substep& step) {
  ORRERY_ASSERT(step.h > 0);
  ORRERY_ASSERT(batch.plan != nullptr && batch.used != 0);
  HWY_DYNAMIC_DISPATCH(meet_positions)(rows, batch, step);
}

void project_velocities(const BodyRows& rows, const TreeBatch& batch, const Substep& step) {
  ORRERY_ASSERT(step.h > 0);
  ORRERY_ASSERT(batch.plan != nullptr && batch.used != 0);
  HWY_DYNAMIC_DISPATCH(project_velocities)(rows, batch, step);
}

void begin_driven(const BodyRows& rows, const TreeBatch& batch, double h) {
  ORRERY_ASSERT(h > 0);
  ORRERY_ASSERT(batch.plan != nullptr && batch.used != 0);
  HWY_DYNAMIC_DISPATCH(begin_driven)(rows, batch, h);
}

}  // namespace orrery::physics
#endif  // HWY_ONCE
