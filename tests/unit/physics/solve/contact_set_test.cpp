// Tests that contacts do not depend on instruction sets, executors or lanes, nor on a save and
// restore.
#include "common/physics/solve/contact_set.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstring>

#include "tests/unit/physics/contact_world.h"

namespace orrery {
namespace {

constexpr std::uint32_t kBodies = 150;
constexpr std::uint64_t kSeed = 11;

std::uint64_t hash_of_run(Executor& executor, int ticks) {
  ContactWorld world(256);
  add_pile(world, kBodies, kSeed);
  std::uint64_t hash = 0;
  for (int i = 0; i < ticks; ++i) {
    world.step(executor);
    hash = hash * 31 + world.hash();
  }
  EXPECT_GT(world.solver.contacts().size(), kBodies);
  return hash;
}

TEST(ContactSet, HasTheSameBitsOnEveryInstructionSet) {
  SerialExecutor serial;
  const std::uint64_t expected = hash_of_run(serial, 90);
  std::int64_t rest = hwy::SupportedTargets() & HWY_TARGETS;
  ASSERT_NE(rest, 0);
  for (; rest != 0; rest &= rest - 1) {
    const std::int64_t target = rest & -rest;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    EXPECT_EQ(hash_of_run(serial, 90), expected);
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
}

TEST(ContactSet, HasTheSameBitsWithEveryExecutor) {
  SerialExecutor serial;
  const std::uint64_t expected = hash_of_run(serial, 90);
  for (const std::uint32_t width : {2u, 3u, 7u, 16u}) {
    SCOPED_TRACE(width);
    BackwardExecutor backward(width);
    EXPECT_EQ(hash_of_run(backward, 90), expected);
  }
}

// Copies every field and all contacts.
void copy_state(ContactWorld& from, ContactWorld& to) {
  for (std::size_t f = 0; f < physics::kBodyFields; ++f) {
    const auto field = static_cast<physics::BodyField>(f);
    std::memcpy(to.bodies.field(field), from.bodies.field(field),
                from.bodies.capacity() * sizeof(double));
  }
  std::vector<physics::ContactRecord> records;
  from.solver.contacts().save(records);
  ASSERT_TRUE(physics::ContactSet::check(records, to.bodies, to.shapes, to.shape_of).ok());
  to.solver.contacts().restore(records, to.bodies, to.shapes, to.shape_of);
}

// After many contacts have begun and ended, restoring gives every contact another lane. The test
// therefore also shows that no result depends on lanes.
TEST(ContactSet, GoesOnWithTheSameBitsAfterARestoreAtAnyTick) {
  ContactWorld world(256), other(256);
  add_pile(world, kBodies, kSeed);
  add_pile(other, kBodies, kSeed);
  SerialExecutor serial;
  for (int tick = 0; tick < 120; ++tick) {
    if (tick % 7 == 3) {
      copy_state(world, other);
      ASSERT_EQ(other.hash(), world.hash()) << "restored at " << tick;
    }
    world.step(serial);
    other.step(serial);
    ASSERT_EQ(other.hash(), world.hash()) << "at " << tick;
  }
}

// Adds a slab with 12 x 12 bodies on it: more contacts than there are colours.
void add_laden_slab(ContactWorld& world) {
  world.add_fixed(world.add_box({5, 1, 5}), {0, -1, 0});
  world.add(world.add_box({3, 0.2, 3}), {0, 0.2, 0});
  const std::uint32_t shapes[] = {world.add_ball(0.2), world.add_box({0.15, 0.2, 0.15})};
  for (std::uint32_t i = 0; i < 144; ++i) {
    world.add(shapes[i % 2], {0.45 * (i % 12) - 2.475, 0.7, 0.45 * (i / 12) - 2.475});
  }
}

TEST(ContactSet, SolvesContactsThatFindNoColourOneByOneWithTheSameBits) {
  ContactWorld world(256), other(256);
  add_laden_slab(world);
  add_laden_slab(other);
  SerialExecutor serial;
  BackwardExecutor backward(3);
  for (int tick = 0; tick < 120; ++tick) {
    if (tick % 20 == 10) copy_state(world, other);
    world.step(serial);
    other.step(backward);
    ASSERT_EQ(other.hash(), world.hash()) << "at " << tick;
  }
  EXPECT_GT(world.solver.contacts().overflow().size(), 50u);
  for (std::uint32_t slot = 2; slot < world.bodies.slots(); ++slot) {
    EXPECT_NEAR(world.bodies.position(slot).y, 0.6, 0.01) << slot;
  }
  const std::uint64_t expected = world.hash();
  for (std::int64_t rest = hwy::SupportedTargets() & HWY_TARGETS; rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest & -rest);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    ContactWorld again(256);
    add_laden_slab(again);
    again.step(120);
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    EXPECT_EQ(again.hash(), expected) << hwy::TargetName(rest & -rest);
  }
}

// Adds nine boxes on a slope, whose bounding box reaches far above it. The contacts of one colour
// fill one block and one lane of the next block.
void add_boxes_on_slope(ContactWorld& world, const Quat& turn) {
  world.gravity = {};
  world.add_fixed(world.add_box({20, 1, 20}), rotate(turn, {0, -1, 0}), turn);
  const std::uint32_t box = world.add_box({0.5, 0.5, 0.5});
  for (int i = 0; i < 9; ++i) world.add(box, rotate(turn, {2.0 * i - 8, 0.5, 0}), {}, {}, turn);
}

// A contact that has lost points takes the lane of one that has ended. Other contacts of the block
// have more points. The lost points must not affect it.
TEST(ContactSet, ForgetsThePointsThatAContactHasLost) {
  const Quat turn = normalized({0.2, 0, 0.3, 0.9});
  ContactWorld world(64), other(64);
  add_boxes_on_slope(world, turn);
  add_boxes_on_slope(other, turn);
  world.step(1);
  ASSERT_EQ(world.solver.contacts().points(), 36u);
  // The last box is placed on an edge, slightly too deep. Then the first box is removed.
  const Quat tilt = normalized({0.1, 0, 0, 1});
  const Vec3 edge = rotate(tilt, {0, -0.5, 0.5});
  world.bodies.set_orientation(9, turn * tilt);
  world.bodies.set_position(
      9, rotate(turn, {8, -0.001 - std::min(edge.y, rotate(tilt, {0, -0.5, -0.5}).y), 0}));
  world.step(1);
  ASSERT_EQ(world.solver.contacts().points(), 34u);
  world.bodies.set_position(1, rotate(turn, {-8, 1, 0}));
  copy_state(world, other);
  world.step(1);
  other.step(1);
  ASSERT_EQ(world.solver.contacts().size(), 8u);
  EXPECT_EQ(world.bodies.velocity(9), other.bodies.velocity(9));
  EXPECT_EQ(world.hash(), other.hash());
}

std::uint32_t add_filtered_ball(ContactWorld& world, const Vec3& at,
                                const physics::Filter& filter) {
  physics::PartDef part;
  part.filter = filter;
  return world.add(world.shapes.add({{part}}).value(), at);
}

TEST(ContactSet, ReportsSensorsAndPushesNothingByThem) {
  ContactWorld world(64);
  physics::Filter sensor;
  sensor.sensor = true;
  physics::PartDef gate;
  gate.kind = physics::ShapeKind::box;
  gate.filter = sensor;
  world.add_fixed(world.shapes.add({{gate}}).value(), {});
  const std::uint32_t ball = world.add(world.add_ball(0.5), {0, 2, 0});
  int begins = 0, ends = 0;
  for (int tick = 0; tick < 90; ++tick) {
    world.step(1);
    for (const physics::ContactEvent& event : world.solver.contacts().events()) {
      EXPECT_TRUE(event.sensor);
      begins += event.change == physics::ContactChange::begin;
      ends += event.change == physics::ContactChange::end;
    }
  }
  EXPECT_EQ(begins, 1);
  EXPECT_EQ(ends, 1);
  EXPECT_NEAR(world.bodies.velocity(ball).y, -9.81 * 1.5, 1e-9);  // fell through
}

TEST(ContactSet, LetsOnlyThoseTouchThatMayMeet) {
  ContactWorld world(64);
  world.gravity = {};
  add_filtered_ball(world, {0, 0, 0}, {1, ~2u, 0, false});
  add_filtered_ball(world, {0.9, 0, 0}, {2, ~0u, 0, false});
  add_filtered_ball(world, {10, 0, 0}, {1, ~0u, -3, false});
  add_filtered_ball(world, {10.9, 0, 0}, {1, ~0u, -3, false});
  add_filtered_ball(world, {20, 0, 0}, {1, 0, 7, false});
  add_filtered_ball(world, {20.9, 0, 0}, {1, 0, 7, false});
  world.step(1);
  ASSERT_EQ(world.solver.contacts().size(), 1u);
  EXPECT_EQ(world.solver.contacts().keys()[0], physics::contact_key(4, 5, 0, 0, 0));
}

// A dumb-bell: two separate balls that form one body.
TEST(ContactSet, TouchesWithEveryPartOfACompound) {
  ContactWorld world(64);
  physics::PartDef left, right;
  left.pose.position = {-1, 0, 0};
  right.pose.position = {1, 0, 0};
  world.add_fixed(world.add_box({5, 1, 5}), {0, -1, 0});
  const std::uint32_t body = world.add(world.shapes.add({{left, right}}).value(), {0, 0.8, 0});
  world.step(120);
  EXPECT_EQ(world.solver.contacts().size(), 2u);
  EXPECT_NEAR(world.bodies.position(body).y, 0.5, 1e-3);
}

TEST(ContactSet, ForgetsTheContactsOfABodyThatIsRemoved) {
  ContactWorld world(64);
  world.add_fixed(world.add_box({5, 1, 5}), {0, -1, 0});
  const std::uint32_t box = world.add_box({0.5, 0.5, 0.5});
  const std::uint32_t slot = world.add(box, {0, 0.5, 0});
  world.step(10);
  ASSERT_EQ(world.solver.contacts().size(), 1u);
  world.remove(slot);
  ASSERT_EQ(world.add(box, {0, 0.5, 0}), slot);
  world.step(1);
  const std::span<const physics::ContactEvent> events = world.solver.contacts().events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].change, physics::ContactChange::end);
  EXPECT_EQ(events[1].change, physics::ContactChange::begin);
  world.remove(slot);
  world.step(1);
  EXPECT_EQ(world.solver.contacts().size(), 0u);
}

TEST(ContactSet, RefusesRecordsThatNoSetHas) {
  ContactWorld world(256);
  add_pile(world, 50, kSeed);
  world.step(60);
  std::vector<physics::ContactRecord> sound;
  world.solver.contacts().save(sound);
  ASSERT_GT(sound.size(), 20u);
  const auto refused = [&](auto spoil) {
    std::vector<physics::ContactRecord> records = sound;
    spoil(records);
    return !physics::ContactSet::check(records, world.bodies, world.shapes, world.shape_of).ok();
  };
  EXPECT_FALSE(refused([](auto&) {}));
  EXPECT_TRUE(refused([](auto& r) { std::swap(r[3], r[4]); }));
  EXPECT_TRUE(refused([](auto& r) { r[5] = r[4]; }));
  EXPECT_TRUE(refused([](auto& r) { r.back().key = physics::contact_key(3, 200, 0, 0, 0); }));
  EXPECT_TRUE(refused([](auto& r) { r[0].key = physics::contact_key(0, 1, 1, 0, 0); }));
  EXPECT_TRUE(refused([](auto& r) { r[7].colour = physics::kColours; }));
  EXPECT_TRUE(refused([](auto& r) { r.back().key.value += 1; }));  // a second manifold
  EXPECT_TRUE(refused([](auto& r) { r[7].kind = physics::ContactKind::sensor; }));
  EXPECT_TRUE(refused([](auto& r) { r[7].count = 5; }));
  EXPECT_TRUE(refused([](auto& r) { r[7].points[0].impulse = -1; }));
  EXPECT_TRUE(refused([](auto& r) { r[7].friction_impulse.x = 0.0 / 0.0; }));
  EXPECT_TRUE(refused([](auto& r) {
    for (physics::ContactRecord& record : r) record.colour = 0;
  }));
}

TEST(ContactSet, RefusesSensorsWithAColour) {
  ContactWorld world(64);
  physics::PartDef gate;
  gate.filter.sensor = true;
  const std::uint32_t sensor = world.shapes.add({{gate}}).value();
  world.add(sensor, {0, 0, 0});
  world.add(sensor, {0.2, 0, 0});
  world.step(1);
  std::vector<physics::ContactRecord> records;
  world.solver.contacts().save(records);
  ASSERT_EQ(records.size(), 1u);
  const auto sound = [&] {
    return physics::ContactSet::check(records, world.bodies, world.shapes, world.shape_of).ok();
  };
  EXPECT_TRUE(sound());
  records[0].colour = 1;
  EXPECT_FALSE(sound());
}

}  // namespace
}  // namespace orrery
