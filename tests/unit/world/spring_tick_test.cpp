// Tests that springs and dampers of any strength are stable with every integrator, at every rate.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/core/rng.h"
#include "common/math/elementary.h"
#include "common/world/scenes/methods.h"
#include "common/world/scenes/scene_parts.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

// Returns the integrators whose springs are stable at any strength.
std::vector<Integrator> stable_integrators() {
  std::vector<Integrator> found;
  for (const Integrator i : every_integrator()) {
    if (!has_negative_substeps(i) && !has_stages(i)) found.push_back(i);
  }
  return found;
}

// An anchor at the origin, and a point mass at x = 2 on a spring with the rest length 2.
Scene spring_scene(Integrator integrator, std::uint32_t rate, double mass, double stiffness,
                   double damping) {
  Scene scene;
  scene.name = "spring";
  scene.integrator = integrator;
  scene.tick_rate = rate;
  scene.bodies.resize(2);
  scene.bodies[0].kind = BodyKind::anchor;
  scene.bodies[1].kind = BodyKind::point;
  scene.bodies[1].mass = mass;
  scene.bodies[1].position = {2, 0, 0};
  scene.bodies[1].velocity = {1, 0, 0};
  scene.springs.push_back({0, 1, {}, {}, stiffness, damping, 2});
  return scene;
}

// Adds a kinematic body far away: the scene then needs the solver.
void make_solved(Scene& scene) {
  use_contacts(scene);
  scene.gravity = {};
  BodyDef body;
  body.kind = BodyKind::kinematic;
  body.position = {1000, 0, 0};
  scene.bodies.push_back(body);
}

TEST(SpringTick, NoStiffnessGainsEnergy) {
  // An explicit spring at the bound turns by sqrt(2) in a step: a method that shows velocity and
  // position half a step apart then shows up to 2.42 times the exact amplitude. A spring beyond the
  // bound lets the body move by at most the way of one step.
  for (const Integrator integrator : stable_integrators()) {
    for (const std::uint32_t rate : {10u, 60u, 1000u}) {
      for (const double mass : {1e-3, 1.0, 1e3}) {
        for (double stiffness = 1e-2; stiffness < 1e18; stiffness *= 7) {
          World world(spring_scene(integrator, rate, mass, stiffness, 0));
          const double amplitude = std::sqrt(mass / stiffness);
          for (int i = 0; i < 200; ++i) {
            run(world, 1);
            const double stretch = std::abs(length(world.bodies().position(1)) - 2);
            ASSERT_LT(stretch, std::max(2.42 * amplitude, 1.01 / rate))
                << name_of(integrator) << " " << rate << " " << mass << " " << stiffness;
            ASSERT_LT(length(world.bodies().velocity(1)), 2.42)
                << name_of(integrator) << " " << rate << " " << mass << " " << stiffness;
          }
        }
      }
    }
  }
}

TEST(SpringTick, AStrongDamperStopsABodyWhereTheExactOneDoes) {
  // v' = -c v / m stops after the way m v / c. A step moves the body by its speed before or after
  // the decay in the step, so the way differs by at most h v.
  for (const Integrator integrator : stable_integrators()) {
    for (const std::uint32_t rate : {10u, 60u, 1000u}) {
      for (double damping = 1; damping < 1e18; damping *= 10) {
        World world(spring_scene(integrator, rate, 1, 0, damping));
        double speed = 1;
        for (int i = 0; i < 200; ++i) {
          run(world, 1);
          const double now = world.bodies().velocity(1).x;
          ASSERT_GE(now, -1e-15) << name_of(integrator) << " " << rate << " " << damping;
          ASSERT_LE(now, speed + 1e-15) << name_of(integrator) << " " << rate << " " << damping;
          speed = now;
        }
        const double h = 1.0 / rate, way = (1 - std::exp(-damping * 200 * h)) / damping;
        EXPECT_NEAR(world.bodies().position(1).x, 2 + way, 1.001 * std::max(h, way * h * damping))
            << name_of(integrator) << " " << rate << " " << damping;
      }
    }
  }
}

TEST(SpringTick, ADamperOfASceneInFreeFlightDecaysExactly) {
  for (const std::uint32_t rate : {10u, 60u, 1000u}) {
    for (double damping = 0.1; damping < 1e4; damping *= 3) {
      World world(spring_scene(Integrator::velocity_verlet, rate, 1, 0, damping));
      run(world, 5);
      const double decay = std::exp(-damping * 5 / rate);
      EXPECT_NEAR(world.bodies().velocity(1).x, decay, 1e-14) << rate << " " << damping;
    }
  }
}

TEST(SpringTick, AStiffSpringInASceneWithShapesSagsByItsWeight) {
  for (const double stiffness : {1e3, 1e5, 1e7, 1e12}) {
    Scene scene = spring_scene(Integrator::semi_implicit_euler, 60, 1, stiffness, 0);
    make_solved(scene);
    scene.gravity = {9.81, 0, 0};
    scene.springs[0].damping = 100;
    scene.bodies[1].velocity = {};
    World world(scene);
    run(world, 3000);
    EXPECT_NEAR(world.bodies().position(1).x, 2 + 9.81 / stiffness, 1e-9) << stiffness;
  }
}

// Random bodies, joined by springs of very different stiffness at points off their centres. Each
// body has a number of springs to earlier bodies.
Scene network(Integrator integrator, std::uint64_t seed, int springs) {
  SplitMix64 random(seed);
  const auto any = [&](double least, double most) {
    return least * std::exp(random.symmetric() * 0.5 * std::log(most / least)) *
           std::sqrt(most / least);
  };
  const auto place = [&](double size) {
    Vec3 v;
    v.x = size * random.symmetric();
    v.y = size * random.symmetric();
    v.z = size * random.symmetric();
    return v;
  };
  Scene scene;
  scene.name = "network";
  scene.integrator = integrator;
  scene.bodies.resize(3 + random.below(8));
  for (BodyDef& body : scene.bodies) {
    body.position = place(2);
    body.velocity = place(0.1);
    body.mass = any(1e-2, 1e2);
    const double moment = 0.1 * body.mass;
    body.inertia = {moment, moment * any(1, 1.5), moment * any(1, 1.5)};
  }
  scene.bodies[0].kind = BodyKind::anchor;
  for (std::uint32_t b = 1; b < scene.bodies.size(); ++b) {
    for (int i = 0; i < springs; ++i) {
      const std::uint32_t a = random.below(b);
      SpringDef spring;
      spring.a = a;
      spring.b = b;
      spring.at_a = place(0.2);
      spring.at_b = place(0.2);
      spring.stiffness = any(1e-1, 1e9);
      spring.rest_length = length((scene.bodies[b].position + spring.at_b) -
                                  (scene.bodies[a].position + spring.at_a));
      scene.springs.push_back(spring);
    }
  }
  return scene;
}

double network_energy(const World& world) {
  const physics::Bodies& bodies = world.bodies();
  double sum = 0;
  for (std::uint32_t i = 1; i < bodies.slots(); ++i) {
    if (bodies.inverse_mass(i) == 0) continue;
    const Vec3 v = bodies.velocity(i);
    sum += 0.5 / bodies.inverse_mass(i) * dot(v, v) +
           0.5 * dot(bodies.angular_velocity(i),
                     rotate(bodies.orientation(i), bodies.angular_momentum(i)));
  }
  return sum;
}

// Returns the largest energy that a network of springs shows, as a share of that at its start.
double largest_energy(const Scene& scene) {
  World world(scene);
  const double before = network_energy(world);
  double most = 0;
  for (int i = 0; i < 1000; ++i) {
    run(world, 1);
    most = std::max(most, network_energy(world));
  }
  return most / before;
}

TEST(SpringTick, NetworksOfSpringsGainNoEnergy) {
  constexpr std::uint64_t kNetworks = 60;
  for (std::uint64_t seed = 1; seed <= kNetworks; ++seed) {
    for (const Integrator integrator : stable_integrators()) {
      EXPECT_LT(largest_energy(network(integrator, seed, 3)), 10)
          << name_of(integrator) << " seed " << seed;
    }
    // A solved scene takes the springs in one order, which is stable if they form no loops.
    Scene scene = network(Integrator::semi_implicit_euler, seed, 1);
    make_solved(scene);
    EXPECT_LT(largest_energy(scene), 10) << "solved, seed " << seed;
  }
}

}  // namespace
}  // namespace orrery
