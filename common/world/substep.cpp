// Runs one substep of each integrator as a sequence of kicks and drifts. In a kick, forces change
// velocities; in a drift, bodies fly and turn freely.
#include "common/world/substep.h"

#include <array>
#include <atomic>

#include "common/physics/motion/drift.h"
#include "common/world/image/state_hash.h"

namespace orrery {
namespace {

// Whether a drift or kick is the last pass over the bodies in a tick. The last pass also sums the
// body hashes.
enum class Pass : bool { inner, last };

std::uint64_t hash_if_last(const World& world, Pass pass, Executor& executor) {
  return pass == Pass::last ? sum_of_body_hashes(world.bodies(), executor) : 0;
}

// --- kicks and drifts ---

void limit_thrusts(MutableWorld& world, double h) {
  physics::limit_thrusts(world.bodies, world.scene.command_limits, h, world.forces);
}

// Applies the thrusts, after limiting them again, because bodies have turned since the last kick. A
// torque that is within the limits at one attitude may be far beyond them at another.
void kick_thrusts(MutableWorld& world, double h) {
  limit_thrusts(world, h);
  physics::kick_thrusters(world.bodies, world.forces, h);
}

void kick(MutableWorld& world, double h, physics::KickOrder order = physics::KickOrder::forward) {
  if (world.forces.empty()) return;
  if (order == physics::KickOrder::forward) kick_thrusts(world, h);
  physics::kick(world.bodies, world.forces, h, order);
  if (order == physics::KickOrder::backward) kick_thrusts(world, h);
}

// Kicks by h so that a kick by -h would undo it, as order 2 requires. Damping and drag depend on
// the velocities that the other forces have just changed. With damping or drag, the kick is
// therefore split into two halves that process the forces in opposite orders. Networks of springs
// that are too stiff for an explicit kick are stable only with both orders.
void kick_symmetrically(MutableWorld& world, double h) {
  if (!world.forces.damped) return kick(world, h);
  kick(world, h / 2, physics::KickOrder::backward);
  kick(world, h / 2, physics::KickOrder::forward);
}

void rotate(MutableWorld& world, double h, Executor& executor) {
  parallel_ranges(executor, world.bodies.tiles(), physics::kTilesLeast,
                  [&](std::uint32_t begin, std::uint32_t end) {
                    physics::rotate_bodies(world.bodies, begin, end, h, world.scene.rotation);
                  });
}

std::uint64_t drift(MutableWorld& world, physics::Drift d, Pass pass, Executor& executor) {
  d.rotates = world.scene.rotation == physics::Rotation::cayley;
  if (!d.rotates) rotate(world, d.h, executor);
  std::atomic<std::uint64_t> sum{0};  // integers: the order of the additions does not matter
  parallel_ranges(executor, world.bodies.tiles(), physics::kTilesLeast,
                  [&](std::uint32_t begin, std::uint32_t end) {
                    if (pass == Pass::last) {
                      sum += physics::drift_and_hash_tiles(world.bodies, begin, end, d);
                    } else {
                      physics::drift_tiles(world.bodies, begin, end, d);
                    }
                  });
  return sum;
}

// Drifts with uniform gravity. The drift adds position_share * gravity * h^2 to each position.
// Values of `position_share`:
// - 0: the body moves with its old velocity.
// - 1/2: free fall is exact.
// - 1: the body moves with its new velocity.
std::uint64_t drift(MutableWorld& world, double h, double position_share, Pass pass,
                    Executor& executor) {
  const Vec3& g = world.controls.gravity;
  return drift(world, {.h = h, .gravity = g, .gravity_position = (position_share * h * h) * g},
               pass, executor);
}

// --- order 1 ---

// v1 = v0 + h a(x0), x1 = x0 + h v1. Worlds with contacts use the same method in contact_tick.cpp,
// which solves the contacts between the two equations.
std::uint64_t semi_implicit_euler(MutableWorld& world, double h, Pass pass, Executor& executor) {
  kick_symmetrically(world, h);
  return drift(world, h, 1, pass, executor);
}

// x1 = x0 + h v0, v1 = v0 + h a(x1).
std::uint64_t semi_implicit_euler_x_first(MutableWorld& world, double h, Pass pass,
                                          Executor& executor) {
  if (world.forces.empty()) return drift(world, h, 0, pass, executor);
  drift(world, h, 0, Pass::inner, executor);
  kick_symmetrically(world, h);
  return hash_if_last(world, pass, executor);
}

// --- order 2 ---

// Kick h/2, drift h, kick h/2. This is also leapfrog (kick-drift-kick): the kicks solve drag and
// damping themselves, so no velocity needs a prediction. The two kicks process the forces in
// opposite orders.
std::uint64_t velocity_verlet(MutableWorld& world, double h, Pass pass, Executor& executor) {
  if (world.forces.empty()) return drift(world, h, 0.5, pass, executor);
  kick(world, h / 2, physics::KickOrder::forward);
  drift(world, h, 0.5, Pass::inner, executor);
  kick(world, h / 2, physics::KickOrder::backward);
  return hash_if_last(world, pass, executor);
}

// Drift h/2, kick h, drift h/2.
std::uint64_t leapfrog_dkd(MutableWorld& world, double h, Pass pass, Executor& executor) {
  drift(world, h / 2, 0.5, Pass::inner, executor);
  kick_symmetrically(world, h);
  return drift(world, h / 2, 0.5, pass, executor);
}

// Verlet with all time corrections, for constant steps: a step from x0 to x1 has x1 - x0 = h v. The
// state holds v, the mean velocity of the last step: that half a step before the present time. Only
// before the first step of a session does the state hold the velocity at the present time. The
// velocity with which a body is spawned counts as its velocity half a step earlier. Drag and
// damping must also act on the speed that gravity adds. With them, half of gravity is applied
// before the kick and half after it.
std::uint64_t tcv_full(MutableWorld& world, double h, bool starts, Pass pass, Executor& executor) {
  const Vec3& g = world.controls.gravity;
  // The time for which gravity acts after the kick.
  const double after = starts || world.forces.damped ? h / 2 : h;
  if (starts) {
    kick(world, h / 2);
  } else {
    if (world.forces.damped)
      physics::kick_uniformly(world.bodies, 0, world.bodies.tiles(), (h / 2) * g);
    kick_symmetrically(world, h);
  }
  return drift(world, {.h = h, .gravity = (after / h) * g, .gravity_position = (h * after) * g},
               pass, executor);
}

// --- order 4 ---

// The coefficients are binary64 literals, because the rounding of longer literals depends on the
// compiler and the machine. A test in tests/unit/world compares them with the laboratory's
// (client/lab/methods/composition.h).
constexpr double kXi = 0.1786178958448091;
constexpr double kLambda = -0.2123418310626054;
constexpr double kChi = -0.06626458266981849;
constexpr double kOuter = 1.3512071919596578;  // 1 / (2 - 2^(1/3))
constexpr double kInner = 1 - 2 * kOuter;
// The condition of order 4: the cubes of the steps cancel.
constexpr double kCubes = 2 * kOuter * kOuter * kOuter + kInner * kInner * kInner;
static_assert(kCubes > -1e-14 && kCubes < 1e-14);

// Kicks by h, which may be negative, without grabs and thrusts. substep_with_commands() applies
// grabs and thrusts.
void kick_back_or_forth(MutableWorld& world, double h) {
  if (!world.forces.empty()) physics::kick_without_grips(world.bodies, world.forces, h);
}

// Drift, kick, ..., kick, drift (Omelyan, Mryglod, Folk 2002). Rotation is of order 2.
void pefrl(MutableWorld& world, double h, Executor& executor) {
  constexpr std::array kDrifts = {kXi, kChi, 1 - 2 * (kChi + kXi), kChi};
  constexpr std::array kKicks = {0.5 - kLambda, kLambda, kLambda, 0.5 - kLambda};
  for (std::size_t i = 0; i < kKicks.size(); ++i) {
    drift(world, kDrifts[i] * h, 0.5, Pass::inner, executor);
    kick_back_or_forth(world, kKicks[i] * h);
  }
  drift(world, kXi * h, 0.5, Pass::inner, executor);
}

// Three leapfrogs, each kick-drift-kick (Yoshida 1990). Rotation is of order 4 with cayley.
void yoshida4(MutableWorld& world, double h, Executor& executor) {
  constexpr std::array kDrifts = {kOuter, kInner, kOuter};
  constexpr std::array kKicks = {(kOuter + kInner) / 2, (kInner + kOuter) / 2, kOuter / 2};
  kick_back_or_forth(world, kOuter / 2 * h);
  for (std::size_t i = 0; i < kDrifts.size(); ++i) {
    drift(world, kDrifts[i] * h, 0.5, Pass::inner, executor);
    kick_back_or_forth(world, kKicks[i] * h);
  }
}

// Applies grabs and thrusts for h/2 before and after the composition. Grabs are damped and thrusts
// have limits; a step back in time allows neither. The motion of a grabbed body is of order 1, as
// with every method with kicks. The motion of a body with a thrust is of order 2.
template <class Composition>
std::uint64_t substep_with_commands(MutableWorld& world, double h, Pass pass, Executor& executor,
                                    Composition composition) {
  ORRERY_ASSERT(has_negative_substeps(world.scene.integrator));
  kick_thrusts(world, h / 2);
  physics::kick_grips(world.bodies, world.forces, h / 2, physics::KickOrder::forward);
  composition(world, h, executor);
  physics::kick_grips(world.bodies, world.forces, h / 2, physics::KickOrder::backward);
  kick_thrusts(world, h / 2);
  return hash_if_last(world, pass, executor);
}

// --- stages ---

// Rotates bodies by h/2, applies the forces for h at fixed attitudes, and rotates bodies by h/2
// (physics/motion/stages.h). Thrusts are constant during all stages.
template <class Method>
std::uint64_t substep_in_stages(MutableWorld& world, double h, Pass pass, Executor& executor,
                                Method method) {
  ORRERY_ASSERT(has_stages(world.scene.integrator));
  rotate(world, h / 2, executor);
  limit_thrusts(world, h);
  (world.stages.*method)(world.bodies, world.forces, world.controls.gravity, h);
  rotate(world, h / 2, executor);
  return hash_if_last(world, pass, executor);
}

// --- kinematic ---

// Flight (physics/motion/flight.h) solves gravity and thrusts together with linear drag or with
// springs to fixed points. With `kinematic` the new position is exact too. With `kinematic_average`
// the body moves by the mean of the old and new velocity. Every other force with acceleration a
// adds dv = h a and dx = h dv.
std::uint64_t kinematic(MutableWorld& world, double h, Pass pass, Executor& executor) {
  ORRERY_ASSERT(is_kinematic(world.scene.integrator));
  limit_thrusts(world, h);
  world.flight.take_thrusts(world.bodies, world.forces);
  physics::kick_thrusters(world.bodies, world.forces, h);
  if (world.forces.damped) {
    physics::kick(world.bodies, world.forces, h / 2, physics::KickOrder::backward);
    physics::kick(world.bodies, world.forces, h / 2, physics::KickOrder::forward);
  } else {
    physics::kick(world.bodies, world.forces, h, physics::KickOrder::forward);
  }
  physics::Drift d{h, world.controls.gravity, {}};
  d.flight = &world.flight;
  return drift(world, d, pass, executor);
}

}  // namespace

std::uint64_t advance(MutableWorld& world, SubstepPlace place, Executor& executor) {
  ORRERY_ASSERT(!world.collision);  // such a world needs advance_with_contacts()
  const double h = world.substep_time;
  const Pass pass = place.last ? Pass::last : Pass::inner;
  ORRERY_ASSERT(h > 0);
  switch (world.scene.integrator) {
    case Integrator::semi_implicit_euler:
      return semi_implicit_euler(world, h, pass, executor);
    case Integrator::semi_implicit_euler_x_first:
      return semi_implicit_euler_x_first(world, h, pass, executor);
    case Integrator::velocity_verlet:
    case Integrator::leapfrog_kdk:
      return velocity_verlet(world, h, pass, executor);
    case Integrator::leapfrog_dkd:
      return leapfrog_dkd(world, h, pass, executor);
    case Integrator::tcv_full:
      return tcv_full(world, h, place.first && world.tick.value == 0, pass, executor);
    case Integrator::pefrl:
      return substep_with_commands(world, h, pass, executor, pefrl);
    case Integrator::yoshida4:
      return substep_with_commands(world, h, pass, executor, yoshida4);
    case Integrator::explicit_euler:
      return substep_in_stages(world, h, pass, executor, &physics::Stages::explicit_euler);
    case Integrator::backward_euler:
      return substep_in_stages(world, h, pass, executor, &physics::Stages::backward_euler);
    case Integrator::rk4:
      return substep_in_stages(world, h, pass, executor, &physics::Stages::rk4);
    case Integrator::kinematic:
    case Integrator::kinematic_average:
      return kinematic(world, h, pass, executor);
  }
  return 0;
}

}  // namespace orrery
