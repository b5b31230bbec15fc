// Tests that bounces have the height that restitution gives them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "common/world/scenes/scene_parts.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

constexpr double kG = 9.81;

// Returns a ball of radius 0.1 m, `height` above a floor.
Scene ball_scene(double height, double restitution) {
  Scene scene;
  use_contacts(scene);
  scene.gravity = {0, -kG, 0};
  scene.sleeping = false;
  const std::uint32_t ball = add_ball_shape(scene, 0.1);
  scene.shapes[ball].parts[0].material.restitution = restitution;
  scene.bodies.push_back(shaped_body(scene, ball, {0, height + 0.1, 0}));
  add_block(scene, {50, 0.5, 50}, {0, -0.5, 0});
  return scene;
}

// Returns the height of the next apex, which is the apex of the parabola through the state after
// the first tick of the fall. In flight, the velocity in the state is that of half a substep
// earlier.
double next_apex(World& world) {
  const auto speed = [&] { return world.bodies().velocity(0).y; };
  for (int tick = 0; tick < 600 && speed() <= 0; ++tick) run(world, 1);
  for (int tick = 0; tick < 6000 && speed() > 0; ++tick) run(world, 1);
  const double now = speed() - kG / 480;
  return world.bodies().position(0).y - 0.1 + now * now / (2 * kG);
}

// The restitutions are large enough that even the eighth bounce takes more than two ticks.
TEST(Bounces, ReachTheSquareOfTheRestitution) {
  for (const double restitution : {0.7, 0.8, 0.95}) {
    for (const double height : {0.5, 1.0, 2.0, 3.7, 10.0, 50.0}) {
      World world(ball_scene(height, restitution));
      double exact = height, worst = 0;
      for (int bounce = 1; bounce <= 8; ++bounce) {
        exact *= restitution * restitution;
        const double apex = next_apex(world);
        worst = std::max(worst, std::abs(apex / exact - 1));
        EXPECT_NEAR(apex, exact, 0.01 * exact)
            << restitution << " from " << height << " m, bounce " << bounce;
      }
      std::printf("restitution %g from %g m: apexes within %.1e\n", restitution, height, worst);
    }
  }
}

TEST(Bounces, EndAtRest) {
  World world(ball_scene(2, 0.8));
  run(world, 60 * 10);
  EXPECT_NEAR(world.bodies().position(0).y, 0.1, 1e-3);
  EXPECT_NEAR(world.bodies().velocity(0).y, 0, 1e-6);
}

// One end of a tilted body is deep in the floor while the other one is still above it. The end
// above must not keep the other one waiting for its bounce: the body would fall on, although it is
// held at its place.
TEST(Bounces, OfTiltedBodiesGainNoSpeed) {
  for (const double restitution : {0.05, 0.13, 0.5, 0.9}) {
    for (const double tilt : {0.1, 0.35, 0.7, 1.2}) {
      for (int phase = 0; phase < 4; ++phase) {
        Scene scene;
        use_contacts(scene);
        scene.gravity = {0, -kG, 0};
        physics::PartDef rod;
        rod.kind = physics::ShapeKind::capsule;
        rod.radius = 0.006;
        rod.half_length = 0.0095;
        rod.material.restitution = restitution;
        const double height = 0.06 + 0.002 * phase;
        BodyDef body = shaped_body(scene, add_shape(scene, rod), {0, height, 0});
        body.orientation = {0, 0, std::sin(tilt / 2), std::cos(tilt / 2)};
        scene.bodies.push_back(body);
        add_block(scene, {50, 0.5, 50}, {0, -0.5, 0});
        World world(std::move(scene));
        for (int tick = 0; tick < 120; ++tick) {
          run(world, 1);
          ASSERT_LT(length(world.bodies().velocity(0)),
                    1.01 * std::sqrt(2 * kG * height) + kG / 240)
              << restitution << " " << tilt << " " << phase << " tick " << tick;
        }
      }
    }
  }
}

// A ball that moves by many times its size in a tick stops at the floor, and bounces in the next
// tick. The stop undoes the fall after it, so that the energy stays exactly.
TEST(Bounces, OfFastBallsKeepTheirEnergy) {
  for (const double speed : {6.0, 40.0, 200.0}) {
    for (int phase = 0; phase < 8; ++phase) {
      Scene scene = ball_scene(1 + 0.1 * phase, 1);
      scene.bodies[0].velocity = {0, -speed, 0};
      World world(std::move(scene));
      const auto energy = [&] {
        const double v = world.bodies().velocity(0).y;
        return 0.5 * v * v - kG * v / 480 + kG * world.bodies().position(0).y;
      };
      const double before = energy();
      for (int tick = 0; tick < 60; ++tick) {
        run(world, 1);
        ASSERT_NEAR(energy(), before, 1e-12 * before) << speed << " " << phase << " " << tick;
      }
    }
  }
}

// A thin body that slides on a floor moves by more than its thickness in a tick, so it is swept.
// The floor carries it, so there is no fall that a stop could take back.
TEST(Bounces, DoNotHappenToAThinBodyThatSlides) {
  for (const double speed : {0.1, 1.0, 10.0}) {
    Scene scene;
    use_contacts(scene);
    scene.gravity = {0, -kG, 0};
    physics::PartDef needle;
    needle.kind = physics::ShapeKind::box;
    needle.half_extents = {0.01, 0.0002, 0.0004};
    needle.material = {0, 0, 0};
    BodyDef body = shaped_body(scene, add_shape(scene, needle), {0, 0.0002, 0});
    body.velocity = {speed, 0, 0.3 * speed};
    scene.bodies.push_back(body);
    add_block(scene, {50, 0.5, 50}, {0, -0.5, 0});
    World world(std::move(scene));
    for (int tick = 0; tick < 120; ++tick) {
      run(world, 1);
      ASSERT_GT(world.bodies().position(0).y, 0) << speed << " tick " << tick;
      ASSERT_LT(world.bodies().velocity(0).y, 0.01) << speed << " tick " << tick;
    }
  }
}

}  // namespace
}  // namespace orrery
