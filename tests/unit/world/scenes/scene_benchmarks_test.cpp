// Tests the benchmark scenes `free` and `tethers` against independent numbers and exact paths.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/energy.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using test::run;

World world_of(std::string_view spec) { return World(built_in_scene(spec).value()); }

// Returns random number n of the benchmark scenes directly. n steps of the generator are one affine
// map, computed by doubling.
double draw_number(std::uint64_t n) {
  std::uint64_t scale = 1, shift = 0;
  std::uint64_t a = 6364136223846793005ull, c = 1442695040888963407ull;
  for (; n != 0; n >>= 1) {
    if (n & 1) {
      scale *= a;
      shift = a * shift + c;
    }
    c = (a + 1) * c;
    a *= a;
  }
  const std::uint64_t s = scale * 0x9E3779B97F4A7C15ull + shift;
  return std::ldexp(static_cast<double>(s >> 40), -23) - 1;
}

void expect_benchmark_body(const BodyDef& body, std::uint64_t i, const Vec3& position) {
  EXPECT_EQ(body.position, position) << i;
  const double velocity[] = {body.velocity.x,         body.velocity.y,
                             body.velocity.z,         body.angular_velocity.x,
                             body.angular_velocity.y, body.angular_velocity.z};
  for (std::uint64_t k = 0; k < 6; ++k) {
    EXPECT_EQ(velocity[k], 3 * draw_number(6 * i + k + 1)) << i << " " << k;
  }
  EXPECT_EQ(body.kind, BodyKind::rigid);
  EXPECT_EQ(body.mass, 120);
  EXPECT_NEAR(body.inertia.x, 4, 1e-14);
  EXPECT_NEAR(body.inertia.y, 10.4, 1e-14);
  EXPECT_NEAR(body.inertia.z, 13.6, 1e-14);
  EXPECT_EQ(body.half_extents, (Vec3{0.5, 0.3, 0.1}));
  EXPECT_EQ(body.linear_drag, 0);
  EXPECT_EQ(body.quadratic_drag, 0);
  EXPECT_EQ(body.orientation, Quat{});
}

TEST(Scenes, FreeIsTheBenchmarkOfTheDesign) {
  const Scene scene = built_in_scene("free:10000").value();
  EXPECT_EQ(scene.gravity, (Vec3{0, -9.81, 0}));
  EXPECT_EQ(tick_time(scene), 1.0 / 60);
  EXPECT_EQ(scene.substeps, 1u);
  // Computed independently in Python.
  EXPECT_EQ(scene.bodies[0].velocity,
            (Vec3{-1.9472415447235107, 0.9961355924606323, 1.213308334350586}));
  EXPECT_EQ(scene.bodies[0].angular_velocity,
            (Vec3{1.415937066078186, -1.6996597051620483, -0.6364670991897583}));
  EXPECT_EQ(scene.bodies[9999].velocity,
            (Vec3{1.2375240325927734, 0.9576737880706787, 0.13737058639526367}));
  EXPECT_EQ(scene.bodies[9999].angular_velocity,
            (Vec3{-0.7435348033905029, 0.3061169385910034, 0.05144190788269043}));
  // 22^3 is the first cube that holds 10,000. A layer has 484 bodies.
  expect_benchmark_body(scene.bodies[0], 0, {-44, 0, -44});
  expect_benchmark_body(scene.bodies[21], 21, {40, 0, -44});
  expect_benchmark_body(scene.bodies[22], 22, {-44, 4, -44});
  expect_benchmark_body(scene.bodies[484], 484, {-44, 0, -40});
  expect_benchmark_body(scene.bodies[9999], 9999, {0, 56, 36});
}

TEST(Scenes, TethersAreTheSameBodiesOnSprings) {
  const Scene scene = built_in_scene("tethers:1000").value();
  const Scene free = built_in_scene("free:1000").value();
  EXPECT_EQ(scene.gravity, (Vec3{0, -9.81, 0}));
  EXPECT_EQ(scene.springs.size(), 0u);
  ASSERT_EQ(scene.tethers.size(), 1000u);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const TetherDef& tether = scene.tethers[i];
    ASSERT_EQ(scene.bodies[i].velocity, free.bodies[i].velocity);
    ASSERT_EQ(tether.body, i);
    ASSERT_EQ(tether.anchor, free.bodies[i].position);
    ASSERT_EQ(tether.at, Vec3{});
    ASSERT_EQ(tether.stiffness, 20 * 120);
    ASSERT_EQ(tether.damping, 0);
    ASSERT_EQ(tether.rest_length, 0);
  }
}

// Returns the largest distance of a body from its exact path after five seconds. w is the angular
// frequency of the tethers, or 0 without tethers.
double error_after_5_seconds(const char* spec, double w) {
  World world = world_of(spec);
  run(world, 300);
  const double t = 5;
  double largest = 0;
  for (std::uint32_t i = 0; i < world.scene().bodies.size(); ++i) {
    const BodyDef& body = world.scene().bodies[i];
    const double along = w == 0 ? t : std::sin(w * t) / w;
    const double fall = w == 0 ? t * t / 2 : (1 - std::cos(w * t)) / (w * w);
    const Vec3 exact = body.position + along * body.velocity + fall * world.scene().gravity;
    largest = std::max(largest, length(world.bodies().position(i) - exact));
  }
  std::printf("%s: %.3e m from the exact paths after 5 s\n", spec, largest);
  return largest;
}

TEST(Scenes, FreeStaysOnItsExactPath) { EXPECT_LT(error_after_5_seconds("free:1000", 0), 1e-10); }

TEST(Scenes, TethersStayOnTheirExactPath) {
  EXPECT_LT(error_after_5_seconds("tethers:1000", std::sqrt(20.0)), 1e-11);
}

}  // namespace
}  // namespace orrery
