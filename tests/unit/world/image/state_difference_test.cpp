// Tests that the difference of two states names exactly the numbers that were changed.
#include "common/world/image/state_difference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "common/world/fault_injector.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"

namespace orrery {
namespace {

World spheres_after(int ticks) {
  World world(built_in_scene("spheres:40").value());
  SerialExecutor executor;
  for (int i = 0; i < ticks; ++i) step(world, {}, executor);
  return world;
}

TEST(StateDifference, OfEqualStatesIsEmpty) {
  EXPECT_FALSE(difference(spheres_after(60), spheres_after(60)).any());
}

// Changes one field of one body by 1 ulp, for every field of the state.
TEST(StateDifference, NamesTheChangedField) {
  constexpr std::uint32_t kSlot = 17;
  const World a = spheres_after(60);
  for (std::size_t f = 0; f < physics::kStateFields; ++f) {
    const auto field = static_cast<physics::BodyField>(f);
    World b = spheres_after(60);
    const double before = a.bodies().at(field, kSlot);
    const double after = std::nextafter(before, std::numeric_limits<double>::infinity());
    FaultInjector(b).state().bodies.set(field, kSlot, after);
    const StateDifference found = difference(a, b);
    ASSERT_EQ(found.fields.size(), 1u) << f;
    EXPECT_EQ(found.bodies, 1u);
    EXPECT_EQ(found.fields[0].body, body_id(a, kSlot));
    EXPECT_EQ(found.fields[0].field, field);
    EXPECT_EQ(found.fields[0].a, before);
    EXPECT_EQ(found.fields[0].b, after);
    EXPECT_FALSE(found.controls || found.contacts || found.joints || found.sleep);
  }
}

TEST(StateDifference, SeparationFindsTheFirstNumberAndTheLargestDistance) {
  const World a = spheres_after(60);
  World b = spheres_after(60);
  EXPECT_EQ(separation(a, b).bodies, 0u);
  EXPECT_FALSE(separation(a, b).first);
  FaultInjector fault(b);
  const auto move = [&](std::uint32_t slot, physics::BodyField field, double by) {
    fault.state().bodies.set(field, slot, a.bodies().at(field, slot) + by);
  };
  move(30, physics::BodyField::position_x, 3);
  move(30, physics::BodyField::position_z, 4);
  move(9, physics::BodyField::position_y, -2);
  move(9, physics::BodyField::orientation_w, 0.125);
  const Separation found = separation(a, b);
  EXPECT_EQ(found.bodies, 2u);
  EXPECT_NEAR(found.distance, 5, 1e-12);
  ASSERT_TRUE(found.first);
  EXPECT_EQ(found.first->body, body_id(a, 9));
  EXPECT_EQ(found.first->field, physics::BodyField::position_y);
  EXPECT_EQ(found.first->b, found.first->a - 2);
}

// If a body lists a contact with another body, that body lists the same contact.
TEST(StateDifference, ContactsAreMutual) {
  const World world = spheres_after(300);
  std::size_t contacts = 0;
  for (std::uint32_t slot = 0; slot < world.bodies().slots(); ++slot) {
    for (const BodyContact& contact : contacts_of(world, slot)) {
      std::size_t back = 0;
      for (const BodyContact& other : contacts_of(world, slot_of(contact.with))) {
        back += other.with == body_id(world, slot) && other.impulse == contact.impulse;
      }
      EXPECT_GE(back, 1u) << slot;
      ++contacts;
    }
  }
  EXPECT_GE(contacts, 80u);  // 40 balls touch the floor: 40 contacts, each in two lists
}

}  // namespace
}  // namespace orrery
