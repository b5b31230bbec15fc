// Tests which contacts exist after each update, against the narrow phase of every pair of parts.
#include "common/physics/update/contact_update.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "tests/unit/physics/contact_world.h"

namespace orrery {
namespace {

constexpr physics::Substep kStep{1.0 / 240, {}, 1.0 / 60};

using physics::ContactKey;

std::set<ContactKey> keys_of(const physics::ContactSet& contacts) {
  return {contacts.keys().begin(), contacts.keys().end()};
}

// Returns the contacts of all pairs of bodies, by asking the narrow phase about every two parts.
std::set<ContactKey> all_contacts(const ContactWorld& world) {
  const physics::ShapedBodies shaped = world.shaped();
  std::set<ContactKey> found;
  for (std::uint32_t a = 0; a < world.bodies.slots(); ++a) {
    for (std::uint32_t b = a + 1; b < world.bodies.slots(); ++b) {
      if (world.bodies.inverse_mass(a) == 0 && world.bodies.inverse_mass(b) == 0) continue;
      for (std::uint32_t i = 0; i < shaped.parts(a).size(); ++i) {
        for (std::uint32_t j = 0; j < shaped.parts(b).size(); ++j) {
          physics::Manifold manifolds[physics::kSurfaceManifoldsMax];
          const std::uint32_t count = physics::find_manifolds(
              world.shapes, shaped.parts(a)[i], shaped.pose(a), shaped.parts(b)[j], shaped.pose(b),
              world.margin().of(shaped.parts(a)[i], shaped.parts(b)[j]), manifolds);
          for (std::uint32_t m = 0; m < count; ++m) {
            found.insert(physics::contact_key(a, b, i, j, m));
          }
        }
      }
    }
  }
  return found;
}

// Returns a world of boxes, balls and compounds of two balls.
ContactWorld mixed_world() {
  ContactWorld world(64);
  add_pile(world, 30, 0x0DD);
  physics::PartDef ball;
  ball.kind = physics::ShapeKind::sphere;
  ball.radius = 0.3;
  physics::PartDef aside = ball;
  aside.pose.position = {0.7, 0, 0};
  const std::uint32_t dumbbell = world.shapes.add({{ball, aside}}).value();
  for (int i = 0; i < 6; ++i) world.add(dumbbell, {1.5 * (i % 3) - 1.5, 4.0 + i, 0.3 * i});
  return world;
}

// A contact exists while its parts are within the margin. It may last longer, because a contact
// keeps its geometry until its bodies have moved by kReuseShare of their size.
TEST(ContactUpdate, BeginsWhatTouchesAndEndsWhatParts) {
  ContactWorld world = mixed_world();
  SerialExecutor serial;
  std::set<ContactKey> before;
  std::size_t most = 0, ends = 0;
  for (int tick = 0; tick < 150; ++tick) {
    world.broad_phase.update(world.shaped(), world.margin(), serial);
    const std::set<ContactKey> touching = all_contacts(world);
    world.step(1);
    const std::set<ContactKey> now = keys_of(world.solver.contacts());
    for (const ContactKey key : touching) EXPECT_TRUE(now.contains(key)) << tick;
    for (const ContactKey key : now) EXPECT_TRUE(touching.contains(key) || before.contains(key));
    // The events are the difference between the contacts of two ticks.
    std::set<ContactKey> by_events = before;
    for (const physics::ContactEvent& event : world.solver.contacts().events().list()) {
      if (event.change == physics::ContactChange::begin) {
        EXPECT_TRUE(by_events.insert(event.key).second);
      } else {
        EXPECT_EQ(by_events.erase(event.key), 1u);
        ++ends;
      }
    }
    EXPECT_EQ(by_events, now) << tick;
    most = std::max(most, now.size());
    before = now;
  }
  EXPECT_GT(most, 40u);
  EXPECT_GT(ends, 10u);
}

TEST(ContactUpdate, EndsAndBeginsTheContactsOfAReplacedBody) {
  ContactWorld world(64);
  world.add_fixed(world.add_box({5, 1, 5}), {0, -1, 0});
  const std::uint32_t box = world.add(world.add_box({0.5, 0.5, 0.5}), {0, 0.5, 0});
  world.step(5);
  ASSERT_EQ(world.solver.contacts().size(), 1u);
  world.solver.contacts().end_contacts_of(box);
  EXPECT_TRUE(world.solver.contacts().ending().test(box));
  world.step(1);
  const auto events = world.solver.contacts().events().list();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].change, physics::ContactChange::end);
  EXPECT_EQ(events[1].change, physics::ContactChange::begin);
  EXPECT_EQ(events[0].key, events[1].key);
  EXPECT_FALSE(world.solver.contacts().ending().any());
}

TEST(ContactUpdate, LeavesOutPairsThatNeverTouch) {
  ContactWorld world(64);
  const std::uint32_t ball = world.add_ball(0.5);
  for (int i = 0; i < 3; ++i) world.add(ball, {0.9 * i, 0, 0});
  const std::vector<physics::Pair> pairs = {{0, 1}, {1, 2}}, separate = {{0, 1}};
  physics::ContactSet contacts(64);
  physics::ContactUpdater updater(64);
  SerialExecutor serial;
  updater.update({world.shaped(), pairs, separate, 0, kStep}, contacts, serial);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_EQ(contacts.keys()[0], physics::contact_key(1, 2, 0, 0, 0));
  updater.update({world.shaped(), pairs, {}, 0, kStep}, contacts, serial);
  EXPECT_EQ(contacts.size(), 2u);
  EXPECT_TRUE(updater.complete());
}

// The ball falls on the floor at 3 m/s. Both also move sideways, which does not change the speed of
// approach.
TEST(ContactUpdate, ReportsTheSpeedOfApproach) {
  ContactWorld world(64);
  const std::uint32_t floor = world.add_fixed(world.add_box({5, 1, 5}), {0, -1, 0});
  world.bodies.set_velocity(floor, {1, 0, 0});
  world.add(world.add_ball(0.5), {0.25, 0.51, 0}, {7, -3, 0});
  const std::vector<physics::Pair> pairs = {{0, 1}};
  physics::ContactSet contacts(64);
  physics::ContactUpdater updater(64);
  SerialExecutor serial;
  updater.update({world.shaped(), pairs, {}, 0, kStep}, contacts, serial);
  ASSERT_EQ(contacts.events().list().size(), 1u);
  const physics::ContactEvent& event = contacts.events().list()[0];
  EXPECT_NEAR(event.approach_speed, 3, 1e-12);
  EXPECT_NEAR(event.normal.y, 1, 1e-12);
  EXPECT_NEAR(event.at.x, 0.25, 1e-12);
  EXPECT_NEAR(event.at.y, 0.005, 1e-12);
}

}  // namespace
}  // namespace orrery
