// Tests that a sensor reports every body that reaches and leaves it, at any speed.
#include <gtest/gtest.h>

#include <vector>

#include "common/world/scenes/scene_parts.h"
#include "common/world/step.h"
#include "tests/support/backward_executor.h"

namespace orrery {
namespace {

// A body that may fly through the gate, and the number of its shape.
enum class Flyer { ball, capsule, box };

struct Case {
  Flyer flyer = Flyer::ball;
  double speed = 50;        // of the flyer relative to the gate
  bool gate_moves = false;  // the gate moves instead, as a kinematic body
  double aside = 0;         // how far the flyer is from the middle of the gate
};

Scene gate_scene(const Case& c, double start) {
  Scene scene;
  use_contacts(scene);
  scene.gravity = {};
  physics::PartDef gate;
  gate.kind = physics::ShapeKind::box;
  gate.half_extents = {0.05, 1, 1};
  gate.filter.sensor = true;
  BodyDef sensor = shaped_body(scene, add_shape(scene, gate), {c.gate_moves ? start : 0, 0, 0});
  sensor.kind = c.gate_moves ? BodyKind::kinematic : BodyKind::anchor;
  if (c.gate_moves) sensor.velocity = {c.speed, 0, 0};
  scene.bodies.push_back(sensor);
  physics::PartDef part;
  part.kind = c.flyer == Flyer::ball      ? physics::ShapeKind::sphere
              : c.flyer == Flyer::capsule ? physics::ShapeKind::capsule
                                          : physics::ShapeKind::box;
  part.radius = 0.1;
  part.half_length = 0.2;
  part.half_extents = {0.1, 0.3, 0.1};
  BodyDef body = shaped_body(scene, add_shape(scene, part), {c.gate_moves ? 0 : start, c.aside, 0});
  if (!c.gate_moves) body.velocity = {c.speed, 0, 0};
  scene.bodies.push_back(body);
  return scene;
}

// Returns the sensor events of some ticks, in order.
std::vector<EventKind> events_of(World& world, int ticks, std::uint32_t threads) {
  test::BackwardExecutor executor(threads);
  std::vector<EventKind> kinds;
  for (int i = 0; i < ticks; ++i) {
    step(world, {}, executor);
    for (const WorldEvent& event : world.events().list) {
      EXPECT_EQ(event.a, BodyId{0});
      EXPECT_EQ(event.b, BodyId{1});
      kinds.push_back(event.kind);
    }
  }
  return kinds;
}

TEST(SensorCrossings, EveryBodyThatFliesThroughIsReportedOnce) {
  const std::vector<EventKind> once = {EventKind::sensor_begin, EventKind::sensor_end};
  for (const Flyer flyer : {Flyer::ball, Flyer::capsule, Flyer::box}) {
    for (const double speed : {1.0, 7.0, 50.0, 300.0, 3000.0}) {
      for (const bool gate_moves : {false, true}) {
        for (int phase = 0; phase < 8; ++phase) {
          const double way = speed / 60;
          const Case c{flyer, speed, gate_moves};
          World world(gate_scene(c, -2 - way * phase / 8));
          const int ticks = static_cast<int>(4 / way) + 4;
          EXPECT_EQ(events_of(world, ticks, 1 + static_cast<std::uint32_t>(phase) % 3), once)
              << static_cast<int>(flyer) << " " << speed << gate_moves << phase;
        }
      }
    }
  }
}

TEST(SensorCrossings, WhatPassesBesideTheSensorIsNotReported) {
  for (const bool gate_moves : {false, true}) {
    for (int phase = 0; phase < 8; ++phase) {
      const Case c{Flyer::ball, 50, gate_moves, 1.101};
      World world(gate_scene(c, -2 - 0.1 * phase));
      EXPECT_TRUE(events_of(world, 8, 2).empty()) << gate_moves << phase;
    }
  }
}

// A wall in front of the sensor stops the body: it does not cross.
TEST(SensorCrossings, WhatIsStoppedBeforeTheSensorIsNotReported) {
  for (int phase = 0; phase < 8; ++phase) {
    Scene scene = gate_scene({}, -2 - 0.1 * phase);
    add_block(scene, {0.05, 1, 1}, {-0.5, 0, 0});
    World world(std::move(scene));
    SerialExecutor serial;
    for (int i = 0; i < 20; ++i) {
      step(world, {}, serial);
      for (const WorldEvent& event : world.events().list) {
        EXPECT_NE(event.kind, EventKind::sensor_begin) << phase;
      }
    }
  }
}

}  // namespace
}  // namespace orrery
