// Tests which slots are occupied, compared with a std::set of slots, and that empty slots are
// harmless.
#include "common/physics/body/bodies.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>
#include <vector>

#include "common/core/rng.h"

namespace orrery {
namespace {

using physics::Bodies;
using physics::BodyField;

// Expects the body that an empty slot holds: unit orientation, and 0 elsewhere.
void expect_harmless(const Bodies& bodies, std::uint32_t slot) {
  for (std::size_t f = 0; f < physics::kBodyFields; ++f) {
    const auto field = static_cast<BodyField>(f);
    EXPECT_EQ(bodies.at(field, slot), field == BodyField::orientation_w ? 1.0 : 0.0)
        << physics::field_name(field) << " of " << slot;
  }
}

TEST(Bodies, OccupiesAndVacatesLikeASetOfNumbers) {
  Bodies bodies(150);
  ASSERT_EQ(bodies.capacity(), 192u);
  std::set<std::uint32_t> model;
  SplitMix64 random(0xB0D1E5);
  std::uint32_t slots = 0;
  for (int i = 0; i < 2000; ++i) {
    std::uint32_t lowest = 0;
    while (model.contains(lowest)) ++lowest;
    ASSERT_EQ(bodies.lowest_free_slot(), lowest);
    ASSERT_EQ(bodies.count(), model.size());
    const std::uint32_t slot = random.below(192);
    ASSERT_EQ(bodies.alive(slot), model.contains(slot));
    if (model.contains(slot)) {
      bodies.set_velocity(slot, {1, 2, 3});
      bodies.vacate(slot);
      model.erase(slot);
      expect_harmless(bodies, slot);
    } else {
      bodies.occupy(slot);
      model.insert(slot);
      slots = std::max(slots, slot + 1);
    }
    ASSERT_EQ(bodies.slots(), slots);
    ASSERT_EQ(bodies.tiles(), (slots + 63) / 64);
  }
}

TEST(Bodies, TakesOverAnOccupation) {
  Bodies bodies(128);
  for (std::uint32_t slot = 0; slot < 100; ++slot) {
    bodies.occupy(slot);
    bodies.set_position(slot, {double(slot), 0, 0});
  }
  bodies.set_occupation(70, std::vector<std::uint64_t>{0xF0, 0b100001});
  for (std::uint32_t slot = 0; slot < 128; ++slot) {
    const bool stays = (slot >= 4 && slot < 8) || slot == 64 || slot == 69;
    EXPECT_EQ(bodies.alive(slot), stays) << slot;
    if (stays) {
      EXPECT_EQ(bodies.position(slot).x, slot);
    } else {
      expect_harmless(bodies, slot);
    }
  }
}

TEST(Bodies, RotatesAngularVelocitiesToTheWorld) {
  Bodies bodies(1);
  bodies.occupy(0);
  bodies.set(BodyField::inverse_inertia_x, 0, Vec3{1, 0.5, 0.25});
  bodies.set_angular_momentum(0, {2, 0, 0});
  const double half = square_root(0.5);
  bodies.set_orientation(0, {0, 0, half, half});  // a quarter turn about z: x becomes y
  const Vec3 w = bodies.angular_velocity(0);
  EXPECT_NEAR(w.x, 0, 1e-15);
  EXPECT_NEAR(w.y, 2, 1e-15);
  EXPECT_NEAR(w.z, 0, 1e-15);
}

TEST(Bodies, NamesEachFieldDifferently) {
  std::set<std::string_view> names;
  for (std::size_t f = 0; f < physics::kBodyFields; ++f) {
    names.insert(physics::field_name(static_cast<BodyField>(f)));
  }
  EXPECT_EQ(names.size(), physics::kBodyFields);
  EXPECT_EQ(physics::field_name(BodyField::orientation_w), "orientation.w");
}

}  // namespace
}  // namespace orrery
