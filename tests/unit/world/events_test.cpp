// Tests the contents and order of events, and that they depend only on the states before and after
// a tick.
#include "common/world/events.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <tuple>

#include "common/world/image/image.h"
#include "common/world/scenes/scene_parts.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/colliding_bodies.h"
#include "tests/support/command_stream.h"

namespace orrery {
namespace {

// Returns a ball at `height` above a floor, and a sensor box of 1 m with its centre 2 m below the
// ball.
Scene ball_scene(double height) {
  Scene scene;
  use_contacts(scene);
  physics::PartDef ball;
  ball.material.restitution = 0.8;
  scene.bodies.push_back(shaped_body(scene, add_shape(scene, ball), {0, height, 0}));
  physics::PartDef gate;
  gate.kind = physics::ShapeKind::box;
  gate.filter.sensor = true;
  BodyDef sensor = shaped_body(scene, add_shape(scene, gate), {0, height - 2, 0});
  sensor.kind = BodyKind::anchor;
  scene.bodies.push_back(sensor);
  add_block(scene, {5, 0.5, 5}, {0, -0.5, 0});
  return scene;
}

std::vector<std::pair<std::uint64_t, WorldEvent>> events_of(World& world, int ticks) {
  std::vector<std::pair<std::uint64_t, WorldEvent>> all;
  SerialExecutor serial;
  for (int i = 0; i < ticks; ++i) {
    step(world, {}, serial);
    for (const WorldEvent& event : world.events().list) all.emplace_back(world.tick().value, event);
  }
  return all;
}

TEST(Events, ABallFallsThroughASensorHitsTheFloorAndLeaves) {
  constexpr double kHeight = 5;
  World world(ball_scene(kHeight));
  const auto events = events_of(world, 75);
  std::vector<EventKind> kinds;
  for (const auto& [tick, event] : events) kinds.push_back(event.kind);
  ASSERT_GE(kinds.size(), 5u);
  kinds.resize(5);
  EXPECT_EQ(kinds, (std::vector{EventKind::sensor_begin, EventKind::sensor_end,
                                EventKind::contact_begin, EventKind::hit, EventKind::contact_end}));
  const auto& [begin_tick, gate] = events[0];
  EXPECT_EQ(gate.a, BodyId{0});
  EXPECT_EQ(gate.b, BodyId{1});
  // The ball falls 1 m to the sensor: their centres are 2 m apart, and half of each is 0.5 m.
  EXPECT_NEAR(static_cast<double>(begin_tick) / 60, std::sqrt(2 * 1 / kEarthGravity), 2.0 / 60);
  const WorldEvent& hit = events[3].second;
  EXPECT_EQ(events[2].first, events[3].first);
  EXPECT_EQ(hit.a, BodyId{0});
  EXPECT_EQ(hit.b, BodyId{2});
  const double speed = std::sqrt(2 * kEarthGravity * (kHeight - 0.5));
  EXPECT_NEAR(hit.speed, speed, 0.03 * speed);
  EXPECT_NEAR(hit.at.y, 0, 0.2);
  EXPECT_NEAR(hit.normal.y, -1, 1e-9);
}

TEST(Events, WhatTouchesGentlyIsNoHit) {
  World world(ball_scene(0.52));
  for (const auto& [tick, event] : events_of(world, 60)) EXPECT_NE(event.kind, EventKind::hit);
}

TEST(Events, ABodyThatIsReplacedEndsUnderItsOldNameAndBeginsUnderItsNew) {
  World world(built_in_scene("crates:2").value());
  SerialExecutor serial;
  const ClientId client{1};
  const std::vector<Command> join = {{kServer, {1}, command::Join{client, Role::admin}}};
  step(world, join, serial);
  for (int i = 0; i < 30; ++i) step(world, {}, serial);
  const Vec3 at = world.bodies().position(0);
  const std::vector<Command> replace = {
      {client, {1}, command::Remove{BodyId{0}}},
      {client, {2}, command::Spawn{0, narrow(at), {}}},
  };
  step(world, replace, serial);
  const BodyId now = body_id(world, 0);
  EXPECT_NE(now, BodyId{0});
  std::vector<std::tuple<EventKind, BodyId, BodyId>> seen;
  for (const WorldEvent& e : world.events().list) seen.emplace_back(e.kind, e.a, e.b);
  EXPECT_EQ(seen, (std::vector<std::tuple<EventKind, BodyId, BodyId>>{
                      {EventKind::contact_end, BodyId{0}, BodyId{1}},
                      {EventKind::contact_begin, now, BodyId{1}},
                      {EventKind::contact_end, BodyId{0}, BodyId{2}},
                      {EventKind::contact_begin, now, BodyId{2}},
                  }));
}

using Touching = std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint16_t, std::uint16_t>>;

// Updates `touching` by the begin and end events of a tick. Returns false if an event contradicts
// the earlier ones.
bool follow(const World& world, Touching& touching) {
  for (const WorldEvent& e : world.events().list) {
    const Touching::value_type pair{e.a.value, e.b.value, e.part_a, e.part_b};
    const bool ends = e.kind == EventKind::contact_end || e.kind == EventKind::sensor_end;
    if (e.kind == EventKind::hit) {
      if (!touching.contains(pair)) return false;
    } else if (ends ? touching.erase(pair) != 1 : !touching.insert(pair).second) {
      return false;
    }
  }
  return true;
}

// Returns all touching pairs of parts, of awake and sleeping bodies.
Touching touching_of(const World& world) {
  Touching touching;
  const auto add = [&](physics::ContactKey key) {
    touching.emplace(body_id(world, key.slot_a()).value, body_id(world, key.slot_b()).value,
                     static_cast<std::uint16_t>(key.part_a()),
                     static_cast<std::uint16_t>(key.part_b()));
  };
  const Collision& collision = *world.collision();
  for (const physics::ContactKey key : collision.solver.contacts().keys()) add(key);
  if (!collision.sleeping) return touching;
  for (const physics::ContactRecord& contact : collision.sleeping->contacts()) add(contact.key);
  return touching;
}

// Bodies in `mesh` have several contacts with one part of the ground. Commands remove, spawn and
// push touching bodies.
TEST(Events, WhoeverCountsThemKnowsWhatTouches) {
  for (const char* spec : {"mesh:60", "boxes:60", "playground", "cubes"}) {
    World world(built_in_scene(spec).value());
    CommandStream commands(11);
    SerialExecutor serial;
    Touching touching;
    std::size_t events = 0;
    for (int tick = 0; tick < 400; ++tick) {
      step(world, commands.next(world), serial);
      ASSERT_TRUE(follow(world, touching)) << spec << " tick " << tick;
      ASSERT_EQ(touching, touching_of(world)) << spec << " tick " << tick;
      events += world.events().list.size();
    }
    EXPECT_GT(events, 100u) << spec;
    EXPECT_EQ(world.events().left_out, 0u);
  }
}

TEST(Events, AreTheSameOnAllThreadsAndBehindAnImage) {
  World world(built_in_scene("boxes:200").value());
  World threaded(built_in_scene("boxes:200").value());
  World restored(built_in_scene("boxes:200").value());
  SerialExecutor serial;
  test::BackwardExecutor three(3);
  std::size_t events = 0;
  for (int tick = 0; tick < 150; ++tick) {
    if (tick % 30 == 29) {
      std::vector<std::uint8_t> image;
      save_image(world, image);
      ASSERT_TRUE(restore_image(restored, image).ok());
      EXPECT_TRUE(restored.events().list.empty());
    }
    step(world, {}, serial);
    step(threaded, {}, three);
    step(restored, {}, serial);
    ASSERT_EQ(world.events().list, threaded.events().list) << tick;
    ASSERT_EQ(world.events().list, restored.events().list) << tick;
    events += world.events().list.size();
  }
  EXPECT_GT(events, 200u);
}

}  // namespace
}  // namespace orrery
