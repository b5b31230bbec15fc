// Tests the integrators of a world against the laboratory, exact solutions and their order.
#include "common/world/substep.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "client/lab/method.h"
#include "client/lab/methods/composition.h"
#include "client/lab/methods/euler.h"
#include "client/lab/methods/kinematic.h"
#include "client/lab/methods/predictor.h"
#include "client/lab/methods/runge_kutta.h"
#include "client/lab/methods/velocity_verlet.h"
#include "client/lab/rotation_run.h"
#include "common/integrate/catalogue.h"
#include "common/math/elementary.h"
#include "common/physics/motion/stages.h"
#include "common/world/fault_injector.h"
#include "common/world/scenes/methods.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

constexpr double kStiffness = 15;  // for a mass of 1
constexpr double kGravity = 2;

// Returns a point mass on a spring to the origin. Gravity acts along y, so x shows the spring
// without gravity.
Scene oscillator(Integrator integrator) {
  Scene scene;
  scene.name = "oscillator";
  scene.integrator = integrator;
  scene.gravity = {0, -kGravity, 0};
  scene.bodies.resize(1);
  scene.bodies[0].kind = BodyKind::point;
  scene.bodies[0].position = {1, 0.5, 0};
  scene.bodies[0].velocity = {0.25, -1, 0};
  TetherDef spring;
  spring.stiffness = kStiffness;
  scene.tethers.push_back(spring);
  return scene;
}

// One coordinate of the same system for the laboratory: x'' = -k x - g.
struct LabOscillator {
  double gravity = 0;
  void acceleration(double, std::span<const double> x, std::span<const double>,
                    std::span<double> a) const {
    a[0] = -kStiffness * x[0] - gravity;
  }
  bool depends_on_velocity() const { return false; }
};

struct Point {
  double x;
  double v;
};

Point exact(double x0, double v0, double gravity, double t) {
  const double w = std::sqrt(kStiffness);
  const double rest = -gravity / kStiffness;
  return {rest + (x0 - rest) * std::cos(w * t) + v0 / w * std::sin(w * t),
          -(x0 - rest) * w * std::sin(w * t) + v0 * std::cos(w * t)};
}

template <class Method>
Point run_lab(Method method, double x0, double v0, double gravity, int steps) {
  LabOscillator system{gravity};
  integrate::State<double> state{0, {x0}, {v0}};
  const double h = 1.0 / 60;
  method.start(state, system, h);
  for (int i = 0; i < steps; ++i) method.step(state, system, h);
  return {state.x[0], state.v[0]};
}

// Compares a world with the laboratory. For methods that drift first, the world applies gravity in
// the drift, and the laboratory in the kick. The results then differ, with errors of the same
// order. These methods are therefore compared only on the axis without gravity.
template <class Method>
void expect_like_lab(Integrator integrator, Method method, bool drifts_first = false) {
  SCOPED_TRACE(name_of(integrator));
  constexpr int kSteps = 300;
  World world(oscillator(integrator));
  SerialExecutor serial;
  for (int i = 0; i < kSteps; ++i) step(world, {}, serial);
  const Point x = run_lab(method, 1, 0.25, 0, kSteps);
  const Point y = run_lab(method, 0.5, -1, kGravity, kSteps);
  const double size = std::max({1.0, std::abs(x.x), std::abs(x.v)});
  EXPECT_NEAR(world.bodies().position(0).x, x.x, 1e-12 * size);
  EXPECT_NEAR(world.bodies().velocity(0).x, x.v, 1e-12 * size);
  if (drifts_first) return;
  EXPECT_NEAR(world.bodies().position(0).y, y.x, 1e-12 * size);
  EXPECT_NEAR(world.bodies().velocity(0).y, y.v, 1e-12 * size);
}

TEST(WorldIntegrators, DoWhatTheLaboratoryDoes) {
  using namespace integrate;
  expect_like_lab(Integrator::explicit_euler, ExplicitEuler<double>(1));
  expect_like_lab(Integrator::semi_implicit_euler, SemiImplicitEuler<double>(1));
  expect_like_lab(Integrator::semi_implicit_euler_x_first,
                  SemiImplicitEulerPositionFirst<double>(1));
  expect_like_lab(Integrator::velocity_verlet, VelocityVerlet<double>(1));
  expect_like_lab(Integrator::leapfrog_dkd, LeapfrogDriftKickDrift<double>(1), true);
  expect_like_lab(Integrator::leapfrog_kdk, LeapfrogKickDriftKick<double>(1));
  expect_like_lab(Integrator::rk4, RungeKutta4<double>(1));
  expect_like_lab(Integrator::pefrl, Pefrl<double>(1), true);
  expect_like_lab(Integrator::yoshida4, Yoshida4<double>(1));
  expect_like_lab(Integrator::backward_euler,
                  BackwardEulerFixedPoint<double>(1, physics::kBackwardEulerRounds));
}

// The positions of fully corrected Verlet equal those of velocity Verlet. The velocity in the state
// of fully corrected Verlet is the mean velocity of the last step.
TEST(WorldIntegrators, FullyCorrectedVerletHoldsTheMeanVelocity) {
  World corrected(oscillator(Integrator::tcv_full));
  World verlet(oscillator(Integrator::velocity_verlet));
  SerialExecutor serial;
  for (int i = 0; i < 300; ++i) {
    const Vec3 before = corrected.bodies().position(0);
    step(corrected, {}, serial);
    step(verlet, {}, serial);
    const Vec3 x = corrected.bodies().position(0);
    EXPECT_LT(length(x - verlet.bodies().position(0)), 1e-12);
    EXPECT_LT(length(60 * (x - before) - corrected.bodies().velocity(0)), 1e-12);
  }
}

TEST(WorldIntegrators, KinematicAverageDoesWhatTheLaboratoryDoes) {
  World world(oscillator(Integrator::kinematic_average));
  FaultInjector(world).state().controls.gravity = {};
  SerialExecutor serial;
  for (int i = 0; i < 300; ++i) step(world, {}, serial);
  const integrate::Functions<double> functions{std::exp, std::sin, std::cos};
  const double h = 1.0 / 60;
  const auto c = integrate::spring_coefficients(kStiffness, h, functions);
  double x = 1;
  double v = 0.25;
  for (int i = 0; i < 300; ++i) {
    const double dv = c.v_to_v * v + c.x_to_v * x;
    x += h * v + h * dv / 2;
    v += dv;
  }
  EXPECT_NEAR(world.bodies().position(0).x, x, 1e-12);
  EXPECT_NEAR(world.bodies().velocity(0).x, v, 1e-12);
}

// Returns the order: log2 of the ratio of the errors after 2 s with h and h/2.
double order_of(Integrator integrator) {
  const auto error = [&](std::uint32_t substeps) {
    Scene scene = oscillator(integrator);
    scene.substeps = substeps;
    World world(scene);
    SerialExecutor serial;
    for (int i = 0; i < 120; ++i) step(world, {}, serial);
    const Point y = exact(0.5, -1, kGravity, 2);
    return std::abs(world.bodies().position(0).y - y.x);
  };
  return std::log2(error(2) / error(4));
}

TEST(WorldIntegrators, HaveTheirOrder) {
  for (const Integrator integrator : every_integrator()) {
    if (integrator == Integrator::kinematic) continue;  // exact
    SCOPED_TRACE(name_of(integrator));
    const integrate::Method* const method = integrate::find_method(name_of(integrator));
    ASSERT_NE(method, nullptr);
    EXPECT_NEAR(order_of(integrator), method->order, 0.1);
  }
}

// Returns the order of a method with damping and drag. The kinematic integrators solve a spring and
// drag each by itself, so both together have order 1.
int order_with_drag(Integrator integrator) {
  if (is_kinematic(integrator)) return 1;
  return integrate::find_method(name_of(integrator))->order;
}

// Returns log2 of the ratio of two errors, with h and h/2.
double order_of(const std::function<double(std::uint32_t substeps)>& error) {
  return std::log2(error(8) / error(16));
}

// Compares x'' = -k x - b x' - g with its exact solution, a decaying oscillation.
TEST(WorldIntegrators, KeepTheirOrderWithDragBesideASpring) {
  constexpr double kDrag = 1;
  const double swing = std::sqrt(kStiffness - kDrag * kDrag / 4);
  const double rest = -kGravity / kStiffness;
  const double offset = 0.5 - rest;
  const double fade = std::exp(-kDrag / 2 * 2.0);
  const double end = rest + fade * (offset * std::cos(2 * swing) +
                                    (-1 + kDrag / 2 * offset) / swing * std::sin(2 * swing));
  for (const Integrator integrator : every_integrator()) {
    if (has_negative_substeps(integrator)) continue;
    SCOPED_TRACE(name_of(integrator));
    const auto error = [&](std::uint32_t substeps) {
      Scene scene = oscillator(integrator);
      scene.bodies[0].linear_drag = kDrag;
      scene.tick_rate = 10;
      scene.substeps = substeps;
      World world(scene);
      SerialExecutor serial;
      for (int i = 0; i < 20; ++i) step(world, {}, serial);
      return std::abs(world.bodies().position(0).y - end);
    };
    EXPECT_NEAR(order_of(error), order_with_drag(integrator), 0.2);
  }
}

// Returns two bodies joined by a damped spring, each on a damped tether, with both kinds of drag.
// These forces do not commute, and there is no exact solution. The test below compares the other
// methods without negative substeps with Runge-Kutta 4 in small steps.
Scene damped_pair(Integrator integrator, std::uint32_t substeps) {
  Scene scene = oscillator(integrator);
  scene.tick_rate = 10;
  scene.substeps = substeps;
  scene.bodies.push_back(scene.bodies[0]);
  scene.bodies[1].position = {3, 0, 1};
  scene.bodies[1].linear_drag = 0.5;
  scene.bodies[0].quadratic_drag = 0.5;
  SpringDef spring;
  spring.b = 1;
  spring.stiffness = 10;
  spring.damping = 2;
  spring.rest_length = 1;
  scene.springs.push_back(spring);
  for (std::uint32_t body = 0; body < 2; ++body) {
    TetherDef tether;
    tether.body = body;
    tether.anchor = {3, 2, -1};
    tether.stiffness = 12;
    tether.damping = 3;
    tether.rest_length = 1;
    scene.tethers.push_back(tether);
  }
  return scene;
}

Vec3 end_of(const Scene& scene) {
  World world(scene);
  SerialExecutor serial;
  for (int i = 0; i < 20; ++i) step(world, {}, serial);
  return world.bodies().position(0);
}

TEST(WorldIntegrators, KeepTheirOrderWithDampingAndDragOfManyForces) {
  const Vec3 end = end_of(damped_pair(Integrator::rk4, 64));
  for (const Integrator integrator : every_integrator()) {
    if (has_negative_substeps(integrator) || integrator == Integrator::rk4) continue;
    SCOPED_TRACE(name_of(integrator));
    const auto error = [&](std::uint32_t substeps) {
      return length(end_of(damped_pair(integrator, substeps)) - end);
    };
    EXPECT_NEAR(order_of(error), order_with_drag(integrator), 0.2);
  }
}

}  // namespace
}  // namespace orrery
