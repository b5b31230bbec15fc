// Tests the benchmark scenes `spheres`, `boxes` and `pyramid` against independent numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "common/world/report/contact_report.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using test::run;

Scene scene_of(const std::string& spec) { return built_in_scene(spec).value(); }

ContactReport report_of(const World& world) {
  SerialExecutor serial;
  return report_contacts(world, serial);
}

void expect_benchmark_settings(const Scene& scene) {
  EXPECT_EQ(scene.gravity, (Vec3{0, -9.81, 0}));
  EXPECT_EQ(scene.substeps, 4u);
  EXPECT_EQ(scene.tick_rate, 60u);
  for (const physics::ShapeDef& shape : scene.shapes) {
    EXPECT_EQ(shape.parts[0].density, 1000);
    EXPECT_EQ(shape.parts[0].material.friction, 0.5);
  }
}

// The random generator of the benchmark scenes, written independently.
struct Draw {
  std::uint64_t s = 0x9E3779B97F4A7C15ull;
  double u() {
    s = s * 6364136223846793005ull + 1442695040888963407ull;
    return std::ldexp(static_cast<double>(s >> 40), -24) * 2 - 1;
  }
};

TEST(ContactScenes, SpheresAreTheBenchmarkOfTheDesign) {
  const Scene scene = scene_of("spheres:5000");
  expect_benchmark_settings(scene);
  ASSERT_EQ(scene.bodies.size(), 5005u);
  Draw draw;
  for (int i = 0; i < 5000; ++i) {
    const int k = i % 289;
    const double x = 1.15 * (k % 17 - 8) + 0.05 * draw.u();
    const double z = 1.15 * (k / 17 - 8) + 0.05 * draw.u();
    const BodyDef& ball = scene.bodies[static_cast<std::size_t>(i)];
    ASSERT_EQ(ball.position, (Vec3{x, 1 + 1.15 * (i / 289), z})) << i;
    ASSERT_NEAR(ball.mass, 523.598775598, 1e-8);
  }
  // No wall reaches into the inside of the tray.
  for (std::size_t i = 5000; i < 5005; ++i) {
    const BodyDef& wall = scene.bodies[i];
    EXPECT_EQ(wall.kind, BodyKind::anchor);
    const Vec3 low = wall.position - wall.half_extents;
    const Vec3 high = wall.position + wall.half_extents;
    EXPECT_TRUE(high.y == 0 || high.x == -10 || low.x == 10 || high.z == -10 || low.z == 10) << i;
    EXPECT_TRUE(high.y == 0 || (low.y == 0 && high.y == 50)) << i;
  }
}

TEST(ContactScenes, ThePyramidIsTheBenchmarkOfTheDesign) {
  const Scene scene = scene_of("pyramid");
  expect_benchmark_settings(scene);
  ASSERT_EQ(scene.bodies.size(), 1241u);
  std::set<double> heights;
  for (std::size_t i = 0; i < 1240; ++i) {
    const BodyDef& box = scene.bodies[i];
    ASSERT_EQ(box.half_extents, (Vec3{1, 1, 1}));
    ASSERT_EQ(box.mass, 8000);
    heights.insert(box.position.y);
    const double layer = (box.position.y - 1) / 2.5;
    // A layer of n x n boxes of 2 m is centred about x = z = -1, with n = 15 - layer.
    const double half = 15 - 1 - layer;
    EXPECT_LE(std::abs(box.position.x + 1), half) << i;
    EXPECT_LE(std::abs(box.position.z + 1), half) << i;
  }
  EXPECT_EQ(heights.size(), 15u);
  EXPECT_EQ(scene.bodies[1240].half_extents.x, 50);
}

TEST(ContactScenes, BoxesStartApartInTheTray) {
  const Scene scene = scene_of("boxes:1000");
  expect_benchmark_settings(scene);
  World world(scene);
  EXPECT_EQ(report_of(world).overlapping, 0u);
  double fastest = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    const BodyDef& box = scene.bodies[i];
    EXPECT_EQ(box.half_extents, (Vec3{0.5, 0.3, 0.2}));
    fastest = std::max(fastest, std::abs(box.angular_velocity.y));
    EXPECT_LE(std::abs(box.velocity.x), 2);
  }
  EXPECT_GT(fastest, 9.9);
  EXPECT_LE(fastest, 10);
}

// The limits are the goals of the benchmark for tick 300.
TEST(ContactScenes, SlowSpheresPileUpWithLittleOverlap) {
  World world(scene_of("spheres:5000"));
  run(world, 300);
  const ContactReport report = report_of(world);
  std::printf("spheres: mean overlap %.2f mm, deepest %.1f mm, top %.2f m\n",
              1e3 * report.mean_overlap, 1e3 * report.deepest_overlap, report.top);
  EXPECT_LT(report.mean_overlap, 3.9e-3);
  EXPECT_LT(report.deepest_overlap, 0.042);
  EXPECT_GT(report.top, 12.4);
}

TEST(ContactScenes, SlowThePyramidStandsForAMinute) {
  World world(scene_of("pyramid"));
  run(world, 300);
  const std::uint32_t top = 1239;
  const Vec3 early = world.bodies().position(top);
  EXPECT_LT(report_of(world).mean_overlap, 0.5e-3);
  run(world, 3300);
  const ContactReport report = report_of(world);
  std::printf("pyramid: mean overlap %.2f mm, the top moved %.2e m in 55 s\n",
              1e3 * report.mean_overlap, length(world.bodies().position(top) - early));
  EXPECT_LT(length(world.bodies().position(top) - early), 1e-3);
  EXPECT_NEAR(report.top, 29, 0.02);
}

TEST(ContactScenes, SlowBoxesComeToRestWithLittleOverlap) {
  World world(scene_of("boxes:1000"));
  run(world, 600);
  const ContactReport report = report_of(world);
  std::printf("boxes: mean overlap %.2f mm, deepest %.1f mm, %.1e J\n", 1e3 * report.mean_overlap,
              1e3 * report.deepest_overlap, report.kinetic_energy);
  EXPECT_LT(report.mean_overlap, 1.9e-3);
  EXPECT_LT(report.deepest_overlap, 0.06);
  EXPECT_LT(report.kinetic_energy, 1);
}

}  // namespace
}  // namespace orrery
