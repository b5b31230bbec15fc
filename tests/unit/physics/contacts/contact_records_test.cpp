// Tests that contacts continue after a save and restore, and which records are refused.
#include "tests/support/contact_records.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/physics/contacts/contact_set.h"
#include "tests/unit/physics/contact_world.h"
#include "tests/unit/physics/contacts/copied_contacts.h"

namespace orrery {
namespace {

constexpr std::uint32_t kBodies = 150;
constexpr std::uint64_t kSeed = 11;

// After many contacts have begun and ended, restoring moves contacts to other lanes. The test
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

TEST(ContactSet, RefusesRecordsThatNoSetHas) {
  ContactWorld world(256);
  add_pile(world, 50, kSeed);
  world.step(60);
  std::vector<physics::ContactRecord> sound = test::records_of(world.solver.contacts());
  ASSERT_GT(sound.size(), 20u);
  const auto refused = [&](auto spoil) {
    std::vector<physics::ContactRecord> records = sound;
    spoil(records);
    return !test::check_records(records, world.shaped()).ok();
  };
  EXPECT_FALSE(refused([](auto&) {}));
  EXPECT_TRUE(refused([](auto& r) { std::swap(r[3], r[4]); }));
  EXPECT_TRUE(refused([](auto& r) { r[5] = r[4]; }));
  EXPECT_TRUE(refused([](auto& r) { r.back().key = physics::contact_key(3, 200, 0, 0, 0); }));
  EXPECT_TRUE(refused([](auto& r) { r[0].key = physics::contact_key(0, 1, 1, 0, 0); }));
  EXPECT_TRUE(refused([](auto& r) { r[7].colour = physics::kColours; }));
  EXPECT_TRUE(refused([](auto& r) { r.back().key.value += 1; }));  // manifold 1: only on a surface
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
  std::vector<physics::ContactRecord> records = test::records_of(world.solver.contacts());
  ASSERT_EQ(records.size(), 1u);
  const auto sound = [&] { return test::check_records(records, world.shaped()).ok(); };
  EXPECT_TRUE(sound());
  records[0].colour = 1;
  EXPECT_FALSE(sound());
}

}  // namespace
}  // namespace orrery
