// Tests that contacts of one colour share no moving body. Tests which rows are in use.
#include "common/physics/contacts/contacted_bodies.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "common/core/rng.h"

namespace orrery {
namespace {

constexpr std::uint32_t kCapacity = 64;

struct Contact {
  physics::ContactSides sides;
  std::uint8_t colour;
};

physics::ContactSides between(std::uint32_t a, std::uint32_t b, bool a_moves, bool b_moves) {
  return {{a, nullptr, a_moves, false, false}, {b, nullptr, b_moves, false, false}};
}

bool in_use(const physics::ContactedBodies& bodies, std::uint32_t slot) {
  return has_slot({bodies.rows().used, kCapacity / limits::kTileBodies}, slot);
}

// Body 0 is the only one that does not move. Few bodies with many contacts fill all colours.
TEST(ContactedBodies, NeverGiveAMovingBodyOneColourTwice) {
  SplitMix64 random(0xC0105);
  physics::ContactedBodies bodies(kCapacity);
  std::vector<Contact> contacts;
  int overflow = 0;
  for (int i = 0; i < 4000; ++i) {
    if (!contacts.empty() && random.below(5) == 0) {
      const std::size_t gone = random.below(static_cast<std::uint32_t>(contacts.size()));
      const Contact& contact = contacts[gone];
      bodies.remove_contact(
          physics::contact_key(contact.sides.a.slot, contact.sides.b.slot, 0, 0, 0),
          contact.colour);
      contacts.erase(contacts.begin() + static_cast<std::ptrdiff_t>(gone));
      continue;
    }
    const std::uint32_t a = random.below(8), b = a + 1 + random.below(8);
    const physics::ContactSides sides = between(a, b, a != 0, true);
    const std::uint8_t colour = bodies.free_colour(sides);
    std::set<std::uint8_t> taken;
    for (const Contact& c : contacts) {
      for (const std::uint32_t slot : {c.sides.a.slot, c.sides.b.slot}) {
        if (slot != 0 && (slot == a || slot == b)) taken.insert(c.colour);
      }
    }
    // The expected colour is the lowest free one if both bodies move, and the highest free one if
    // one body is fixed.
    int expected = a != 0 ? 0 : 62;
    while (expected >= 0 && expected < 63 && taken.contains(static_cast<std::uint8_t>(expected))) {
      expected += a != 0 ? 1 : -1;
    }
    if (expected < 0) expected = physics::kOverflowColour;
    ASSERT_EQ(colour, expected) << i;
    overflow += colour == physics::kOverflowColour;
    bodies.add_contact(sides, colour);
    contacts.push_back({sides, colour});
  }
  EXPECT_GT(overflow, 100);
}

TEST(ContactedBodies, UseTheRowsOfContactsAndPins) {
  physics::ContactedBodies bodies(kCapacity);
  bodies.pin(5);
  bodies.add_contact(between(5, 7, true, true), 0);
  bodies.add_contact(between(7, 9, true, true), 1);
  EXPECT_TRUE(in_use(bodies, 5) && in_use(bodies, 7) && in_use(bodies, 9));
  EXPECT_FALSE(in_use(bodies, 6));
  bodies.remove_contact(physics::contact_key(5, 7, 0, 0, 0), 0);
  EXPECT_TRUE(in_use(bodies, 5) && in_use(bodies, 7));
  bodies.unpin_all();
  EXPECT_FALSE(in_use(bodies, 5));
  EXPECT_TRUE(in_use(bodies, 7));
  bodies.pin(11);
  bodies.clear_contacts();
  EXPECT_FALSE(in_use(bodies, 7));
  EXPECT_TRUE(in_use(bodies, 11));
}

}  // namespace
}  // namespace orrery
