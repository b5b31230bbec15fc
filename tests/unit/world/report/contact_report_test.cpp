// Tests the report on bodies with contacts.
#include "common/world/report/contact_report.h"

#include <gtest/gtest.h>

#include "common/core/limits.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"

namespace orrery {
namespace {

// Three balls, 1 m in diameter, have centres 0.98 and 0.95 m apart. A fourth ball, far away, flies
// and spins.
TEST(ContactReport, MeasuresOverlapHeightAndEnergy) {
  Scene scene = built_in_scene("spheres:4").value();
  scene.bodies[0].position = {0, 5, 0};
  scene.bodies[1].position = {0.98, 5, 0};
  scene.bodies[2].position = {0.98, 5.95, 0};
  scene.bodies[3].position = {5, 3, 5};
  scene.bodies[3].velocity = {3, 0, 0};
  scene.bodies[3].angular_velocity = {0, 2, 0};
  World world(scene);
  SerialExecutor serial;
  const ContactReport report = report_contacts(world, serial);
  EXPECT_EQ(report.contacts, 0u);  // no tick has run yet
  EXPECT_EQ(report.overlapping, 2u);
  EXPECT_NEAR(report.mean_overlap, 0.035, 1e-15);
  EXPECT_NEAR(report.deepest_overlap, 0.05, 1e-15);
  EXPECT_EQ(report.top, 5.95);
  const double mass = scene.bodies[3].mass;
  EXPECT_NEAR(report.kinetic_energy, mass * 4.5 + 0.5 * (0.4 * mass * 0.25) * 4, 1e-9);
}

// Measures all overlaps by brute force: each ball against all others, the floor and the walls.
TEST(ContactReport, AgreesWithAllPairsOfBalls) {
  World world(built_in_scene("spheres:400").value());
  SerialExecutor serial;
  for (int i = 0; i < 150; ++i) step(world, {}, serial);
  std::uint32_t pairs = 0;
  double sum = 0;
  const auto add = [&](double deep) {
    if (deep <= 0) return;
    ++pairs;
    sum += deep;
  };
  for (std::uint32_t a = 0; a < 400; ++a) {
    const Vec3 p = world.bodies().position(a);
    for (std::uint32_t b = 0; b < a; ++b) add(1 - length(p - world.bodies().position(b)));
    add(0.5 - p.y);
    add(p.x + 0.5 - 10), add(0.5 - p.x - 10), add(p.z + 0.5 - 10), add(0.5 - p.z - 10);
  }
  const ContactReport report = report_contacts(world, serial);
  EXPECT_EQ(report.overlapping, pairs);
  EXPECT_NEAR(report.mean_overlap, sum / pairs, 1e-12);
  EXPECT_GT(report.contacts, 400u);
  EXPECT_EQ(report.points, report.contacts);
}

// The report searches for pairs itself, also in a world that has not stepped or sleeps.
TEST(ContactReport, SlowIsIncompleteIfItsOwnSearchFindsTooManyPairs) {
  constexpr std::uint32_t kBalls = 5'900;
  static_assert(std::uint64_t{kBalls} * (kBalls - 1) / 2 > limits::kPairsMax);
  Scene scene = built_in_scene("spheres:5900").value();
  for (std::uint32_t i = 0; i < kBalls; ++i) scene.bodies[i].position = {1e-5 * i, 5, 0};
  // The report does not measure overlaps of sensors, which would take long.
  scene.shapes[scene.bodies[0].shape].parts[0].filter.sensor = true;
  const World world(scene);
  SerialExecutor serial;
  EXPECT_TRUE(world.collision()->broad_phase.complete());
  EXPECT_FALSE(report_contacts(world, serial).complete);
}

}  // namespace
}  // namespace orrery
