// Tests that absurd scenes and forged images stay finite and bounded.
//
// Examples are many bodies at one point, masses that differ by a factor of a million, and more
// contacts than the limit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/world/fault_injector.h"
#include "common/world/image/image.h"
#include "common/world/report/contact_report.h"
#include "common/world/scenes/scene_parts.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/contact_records.h"
#include "tests/support/worlds.h"
#include "tests/unit/physics/contact_world.h"

namespace orrery {
namespace {

using namespace test;

// Returns a floor and `places` points above it, 20 m apart. At each point are `bodies` bodies,
// alternately a ball and a box.
Scene clumps(std::uint32_t places, std::uint32_t bodies) {
  Scene scene;
  use_contacts(scene);
  add_block(scene, {1000 + 20.0 * places, 0.5, 1000}, {0, -0.5, 0});
  const BodyDef kinds[] = {shaped_body(scene, add_ball_shape(scene, 0.5), {}),
                           shaped_body(scene, add_box_shape(scene, {0.5, 0.3, 0.2}), {})};
  for (std::uint32_t i = 0; i < places * bodies; ++i) {
    BodyDef body = kinds[i / places % 2];
    body.position = {20.0 * (i % places) - 10.0 * places, 5, 0};
    scene.bodies.push_back(body);
  }
  scene.names.clear();
  return scene;
}

double fastest(const World& world) {
  double speed = 0;
  for (std::uint32_t slot = 0; slot < world.bodies().slots(); ++slot) {
    speed = std::max(speed, length(world.bodies().velocity(slot)));
  }
  return speed;
}

double lowest(const World& world) {
  double y = std::numeric_limits<double>::infinity();
  for (std::uint32_t slot = 0; slot < world.bodies().slots(); ++slot) {
    if (world.bodies().inverse_mass(slot) > 0) y = std::min(y, world.bodies().position(slot).y);
  }
  return y;
}

TEST(BadInput, HundredsOfBodiesInOnePlacePart) {
  World world(clumps(1, 300));
  SerialExecutor serial;
  double speed = 0;
  for (int tick = 0; tick < 300; ++tick) {
    step(world, {}, serial);
    ASSERT_TRUE(finite(world)) << tick;
    speed = std::max(speed, fastest(world));
  }
  EXPECT_LT(speed, 100);
  EXPECT_GT(lowest(world), 0.1);
  EXPECT_LT(report_contacts(world, serial).mean_overlap, 0.02);
}

TEST(BadInput, HundredsOfBodiesSpawnedInOnePlacePart) {
  Scene scene = clumps(1, 2);
  scene.spare_bodies = 400;
  World world(scene);
  SerialExecutor serial;
  ASSERT_TRUE(try_command(world, join(1, Role::play)));
  for (int tick = 0; tick < 300; ++tick) {
    std::vector<Command> spawns;
    for (std::uint32_t i = 0; i < 100 && tick < 4; ++i) {
      spawns.push_back(give(1, command::Spawn{1 + i % 2, {0, 5, 0}, {}}, i + 1));
    }
    step(world, spawns, serial);
    EXPECT_EQ(world.applied().size(), spawns.size());
    ASSERT_TRUE(finite(world)) << tick;
  }
  EXPECT_EQ(world.bodies().count(), 403u);
  EXPECT_LT(fastest(world), 100);
  EXPECT_GT(lowest(world), 0.1);
  EXPECT_LT(report_contacts(world, serial).mean_overlap, 0.02);
}

// Light and heavy crates alternate in a stack. Crates may be crushed, or pressed out at the speed
// of the collapse, and slide off the floor. None explodes or passes through the floor.
TEST(BadInput, MassesAMillionTimesApartStayWhereTheyAre) {
  for (const bool light_below : {true, false}) {
    Scene scene = built_in_scene("crates:10").value();
    for (std::size_t i = light_below ? 0 : 1; i < 10; i += 2) {
      scene.bodies[i].mass *= 1e-6;
      scene.bodies[i].inertia = 1e-6 * scene.bodies[i].inertia;
    }
    World world(scene);
    SerialExecutor serial;
    for (int tick = 0; tick < 240; ++tick) {
      step(world, {}, serial);
      ASSERT_TRUE(finite(world)) << tick;
      ASSERT_LT(fastest(world), 30) << tick;  // a fall from 10 m ends at 14 m/s
      for (std::uint32_t crate = 0; crate < 10; ++crate) {
        const Vec3 p = world.bodies().position(crate);
        const bool above_floor = std::abs(p.x) < 20 && std::abs(p.z) < 20;
        ASSERT_TRUE(!above_floor || p.y > 0.05) << light_below << " " << tick << " " << crate;
      }
    }
  }
}

// Runs a scene that has too many contacts with two executors, of width 1 and 3. Expects equal
// states. After the first tick, expects exactly the largest allowed number of contacts, and a
// contact report that is marked as incomplete.
void expect_bounded_contacts(const Scene& scene, int ticks) {
  World world(scene);
  World other(scene);
  SerialExecutor serial;
  BackwardExecutor backward(3);
  const std::uint32_t most = physics::contacts_max(world.bodies().capacity());
  for (int tick = 0; tick < ticks; ++tick) {
    step(world, {}, serial);
    step(other, {}, backward);
    ASSERT_EQ(world.hash(), other.hash()) << tick;
    ASSERT_LE(world.collision()->solver.contacts().size(), most) << tick;
    ASSERT_TRUE(finite(world)) << tick;
    if (tick != 0) continue;
    EXPECT_EQ(world.collision()->solver.contacts().size(), most);
    EXPECT_FALSE(report_contacts(world, serial).complete);
    std::vector<std::uint8_t> image;
    save_image(world, image);
    ASSERT_TRUE(restore_image(other, image).ok());
  }
  EXPECT_LT(fastest(world), 100);
}

TEST(BadInput, ContactsAreLimitedForTheSizeOfTheWorld) {
  expect_bounded_contacts(clumps(1, 350), 60);
}

TEST(BadInput, SlowAMillionContactsAreBounded) { expect_bounded_contacts(clumps(100, 160), 2); }

// Bodies of 1,024 parts overlap: about a million pairs of parts for each pair of bodies.
TEST(BadInput, SlowCompoundsOfAThousandPartsInOnePlaceAreBounded) {
  Scene scene;
  use_contacts(scene);
  physics::ShapeDef many;
  many.parts.resize(limits::kPartsMax);
  scene.shapes.push_back(many);
  scene.bodies.assign(24, shaped_body(scene, 0, {}));
  expect_bounded_contacts(scene, 2);
}

// Steps a world. After every second tick, restores its image into a new world, and expects both
// worlds to be equal before and after the next tick.
void expect_restorable(const Scene& scene, int ticks) {
  World world(scene);
  SerialExecutor serial;
  std::vector<std::uint8_t> image;
  for (int tick = 0; tick < ticks; ++tick) {
    step(world, {}, serial);
    ASSERT_TRUE(finite(world)) << tick;
    save_image(world, image);
    World other(scene);
    const Status restored = restore_image(other, image);
    ASSERT_TRUE(restored.ok()) << tick << ": " << restored.error().text();
    ASSERT_EQ(other.hash(), world.hash()) << tick;
    step(world, {}, serial);
    step(other, {}, serial);
    ASSERT_EQ(other.hash(), world.hash()) << tick;
  }
}

// Far below a plane or far along it, a contact would be farther from its bodies than the limits
// allow.
TEST(BadInput, NothingTouchesBeyondAllLimits) {
  Scene scene;
  use_contacts(scene);
  physics::PartDef plane;
  plane.kind = physics::ShapeKind::plane;
  BodyDef floor;
  floor.kind = BodyKind::anchor;
  floor.shape = add_shape(scene, plane);
  scene.bodies.push_back(floor);
  const std::uint32_t box = add_box_shape(scene, {0.5, 0.5, 0.5});
  const std::uint32_t ball = add_ball_shape(scene, 0.5);
  for (const Vec3& at : {Vec3{0, -limits::kLengthMax, 0}, Vec3{limits::kLengthMax, 0, 0}}) {
    for (const bool is_box : {true, false}) {
      scene.bodies.push_back(shaped_body(scene, is_box ? box : ball, (is_box ? 1 : 0.9) * at));
      scene.bodies.back().velocity = 1e-3 * limits::kSpeedMax / limits::kLengthMax * at;
    }
  }
  scene.bodies.push_back(shaped_body(scene, box, {0, 0.5, 0}));
  expect_restorable(scene, 3);
  World world(scene);
  SerialExecutor serial;
  step(world, {}, serial);
  EXPECT_EQ(world.collision()->solver.contacts().size(), 1u);
}

// An image may contain any finite impulses.
TEST(BadInput, ImpulsesOfForgedImagesStayFinite) {
  const double kMost = std::numeric_limits<double>::max();
  for (const char* const spec : {"jumble:20", "ragdolls:1", "crates:5"}) {
    World world(built_in_scene(spec).value());
    SerialExecutor serial;
    for (int tick = 0; tick < 90; ++tick) step(world, {}, serial);
    Collision& c = *FaultInjector(world).state().collision;
    std::vector<physics::ContactRecord> records = test::records_of(c.solver.contacts());
    ASSERT_GT(records.size(), 3u) << spec;
    for (physics::ContactRecord& record : records) {
      if (record.kind == physics::ContactKind::sensor) continue;
      for (std::uint32_t i = 0; i < record.count; ++i) record.points[i].impulse = kMost;
      record.friction_impulse = {kMost, -kMost, kMost};
      if (record.kind == physics::ContactKind::general) record.twist_impulse = -kMost;
    }
    test::restore_records(c.solver.contacts(), records, {world.bodies(), c.shapes, c.shape_of});
    std::vector<std::uint8_t> image;
    save_image(world, image);
    for (int tick = 0; tick < 5; ++tick) {
      ASSERT_TRUE(restore_image(world, image).ok()) << spec << tick;
      step(world, {}, serial);
      ASSERT_TRUE(finite(world)) << spec << tick;
      save_image(world, image);
    }
  }
}

}  // namespace
}  // namespace orrery
