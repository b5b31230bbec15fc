// Tests that contacts are the same for every instruction set and executor. Tests which bodies have
// contacts.
#include "common/physics/contacts/contact_set.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

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
    for (const physics::ContactEvent& event : world.solver.contacts().events().list()) {
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
  const std::span<const physics::ContactEvent> events = world.solver.contacts().events().list();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].change, physics::ContactChange::end);
  EXPECT_EQ(events[1].change, physics::ContactChange::begin);
  world.remove(slot);
  world.step(1);
  EXPECT_EQ(world.solver.contacts().size(), 0u);
}

}  // namespace
}  // namespace orrery
