// Tests that the hash of all contacts is the sum of the hashes of the single contacts, and sees
// every change.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

#include "tests/support/contact_records.h"
#include "tests/unit/physics/contact_world.h"

namespace orrery {
namespace {

using physics::ContactKind;
using physics::ContactRecord;

TEST(ContactHash, IsTheSumOverTheRecords) {
  ContactWorld world(256);
  add_pile(world, 120, 0x4A54);
  SerialExecutor serial;
  BackwardExecutor backward(3);
  std::set<std::uint64_t> hashes;
  for (int tick = 0; tick < 60; ++tick) {
    world.step(1);
    std::uint64_t sum = 0;
    for (const ContactRecord& record : test::records_of(world.solver.contacts())) {
      sum += physics::hash_contact(record);
    }
    EXPECT_EQ(world.solver.contacts().hash(serial), sum) << tick;
    EXPECT_EQ(world.solver.contacts().hash(backward), sum) << tick;
    if (world.solver.contacts().size() > 0) hashes.insert(sum);
  }
  EXPECT_GT(hashes.size(), 40u);
}

// Each change of one number of a record must give another hash.
TEST(ContactHash, SeesEveryNumberOfAContact) {
  ContactRecord record;
  record.key = physics::contact_key(3, 4, 5, 6, 0);
  record.kind = ContactKind::general;
  record.count = physics::kContactPointsMax;
  record.normal = {0, 1, 0};
  for (std::uint32_t i = 0; i < record.count; ++i) record.points[i].feature = i;
  std::vector<std::function<void(ContactRecord&)>> changes = {
      [](ContactRecord& r) { r.key.value += 1; },
      [](ContactRecord& r) { r.colour = 1; },
      [](ContactRecord& r) { r.count = 3; },
      [](ContactRecord& r) {
        r.normal = {1, 0, 0};
      },
      [](ContactRecord& r) {
        r.turn = {1, 0, 0, 0};
      },
      [](ContactRecord& r) { r.friction_impulse.z = 1; },
      [](ContactRecord& r) { r.twist_impulse = 1; },
      [](ContactRecord& r) { r.rolling_impulse.x = 1; },
      [](ContactRecord& r) { r.twist_impulse = -0.0; },
  };
  for (std::size_t i = 0; i < physics::kContactPointsMax; ++i) {
    changes.push_back([i](ContactRecord& r) { r.points[i].at_a.x = 1; });
    changes.push_back([i](ContactRecord& r) { r.points[i].at_b.z = 1; });
    changes.push_back([i](ContactRecord& r) { r.points[i].separation = 1; });
    changes.push_back([i](ContactRecord& r) { r.points[i].impulse = 1; });
    changes.push_back([i](ContactRecord& r) { r.points[i].feature = 77; });
  }
  std::set<std::uint64_t> hashes = {physics::hash_contact(record)};
  for (const auto& change : changes) {
    ContactRecord changed = record;
    change(changed);
    hashes.insert(physics::hash_contact(changed));
  }
  EXPECT_EQ(hashes.size(), changes.size() + 1);
  ContactRecord sensor = record;
  sensor.kind = ContactKind::sensor;
  EXPECT_EQ(physics::hash_contact(sensor), 0u);
}

}  // namespace
}  // namespace orrery
