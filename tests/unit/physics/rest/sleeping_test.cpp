// Tests when bodies and islands fall asleep and wake.
#include "common/physics/rest/sleeping.h"

#include <gtest/gtest.h>

#include "tests/support/colliding_bodies.h"
#include "tests/support/contact_records.h"
#include "tests/unit/physics/contact_world.h"

namespace orrery {
namespace {

using test::CollidingBodies;
using Slots = std::vector<std::uint32_t>;

constexpr double kDt = 1.0 / 60;
constexpr Vec3 kGravity{0, -9.81, 0};
const double kStillSpeed = physics::still_speed(kGravity);

// A fixed ball in slot 0, and movable balls at rest in the slots from 1 on.
struct Yard {
  explicit Yard(std::uint32_t balls)
      : group(balls + 1), contacts(group.bodies.capacity()), sleeping(group.bodies.capacity()) {
    group.add(group.ball, {}, false);
    for (std::uint32_t i = 0; i < balls; ++i) group.add(group.ball, {2.0 * i, 0, 0}, true);
  }

  physics::Sleeping::Input input() {
    return {group.bodies, group.shapes, group.shape_of, contacts, kGravity};
  }
  // Runs settle() for one tick, and returns the slots of the bodies that then sleep.
  Slots settle() {
    sleeping.settle(input(), {near, joined, held}, kDt);
    return sleepers();
  }
  Slots sleepers() const {
    Slots slots;
    for (std::uint32_t slot = 0; slot < group.bodies.slots(); ++slot) {
      if (sleeping.asleep(slot)) slots.push_back(slot);
    }
    EXPECT_EQ(slots.size(), sleeping.count());
    return slots;
  }
  // Runs settle() for one tick less than a still body needs to fall asleep.
  void wait() {
    const Slots before = sleepers();
    for (std::uint32_t i = 1; i < physics::still_ticks_needed(kDt); ++i)
      EXPECT_EQ(settle(), before);
  }
  Slots wake(std::uint32_t slot) {
    sleeping.wake(group.bodies, slot);
    return sleepers();
  }

  CollidingBodies group;
  physics::ContactSet contacts;
  physics::Sleeping sleeping;
  std::vector<physics::Pair> near;
  std::vector<physics::Pair> joined;
  Slots held;
};

TEST(Sleeping, NeedsHalfASecondOfStillness) {
  EXPECT_EQ(physics::still_ticks_needed(1.0 / 60), 30u);
  EXPECT_EQ(physics::still_ticks_needed(0.5), 2u);
  EXPECT_EQ(physics::still_ticks_needed(1e6), 2u);
  Yard yard(1);
  yard.wait();
  yard.group.bodies.set_velocity(1, {0, 1.01 * kStillSpeed, 0});
  EXPECT_EQ(yard.settle(), Slots{});
  yard.group.bodies.set_velocity(1, {0, 0.99 * kStillSpeed, 0});
  yard.wait();
  EXPECT_EQ(yard.settle(), Slots{1});
}

TEST(Sleeping, OnEarthIsBelowFiveMillimetresASecond) {
  EXPECT_NEAR(kStillSpeed, 0.005, 1e-4);
  EXPECT_EQ(physics::still_speed({}), 0);
}

TEST(Sleeping, IsToBeAtRestAndAsIfFixed) {
  Yard yard(1);
  physics::Bodies& bodies = yard.group.bodies;
  bodies.set(physics::BodyField::inverse_inertia_x, 1, Vec3{2, 3, 4});
  bodies.set(physics::BodyField::gravity_scale, 1, 0.5);
  bodies.set_velocity(1, {0, 0.2 * kStillSpeed, 0});
  yard.wait();
  EXPECT_EQ(yard.settle(), Slots{1});
  EXPECT_EQ(bodies.velocity(1), (Vec3{0, 0, 0}));
  EXPECT_EQ(bodies.inverse_mass(1), 0);
  EXPECT_EQ(bodies.at(physics::BodyField::gravity_scale, 1), 0);
  yard.wake(1);
  EXPECT_EQ(bodies.inverse_mass(1), 1);
  EXPECT_EQ(bodies.inverse_inertia(1), (Vec3{2, 3, 4}));
  EXPECT_EQ(bodies.at(physics::BodyField::gravity_scale, 1), 0.5);
}

TEST(Sleeping, CountsTurningAsMotionOfTheFarthestPoint) {
  Yard yard(1);
  yard.group.bodies.set(physics::BodyField::inverse_inertia_x, 1, Vec3{1, 1, 1});
  yard.group.bodies.set_angular_momentum(1, {0, 1.01 * kStillSpeed / test::kBallRadius, 0});
  yard.wait();
  EXPECT_EQ(yard.settle(), Slots{});
}

TEST(Sleeping, TakesIslandsAsOne) {
  Yard yard(6);
  yard.near = {{0, 1}, {0, 4}, {1, 2}, {4, 5}};
  yard.joined = {{6, 5}};
  yard.group.bodies.set_velocity(6, {1, 0, 0});
  yard.wait();
  // Bodies 4 and 5 are linked to 6, which moves. Body 0 is fixed and links nothing.
  EXPECT_EQ(yard.settle(), (Slots{1, 2, 3}));
  yard.group.bodies.set_velocity(6, {0, 0, 0});
  yard.wait();
  EXPECT_EQ(yard.settle(), (Slots{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(yard.wake(5), (Slots{1, 2, 3}));
  EXPECT_EQ(yard.wake(5), (Slots{1, 2, 3}));
  EXPECT_EQ(yard.wake(3), (Slots{1, 2}));
  yard.wait();  // woken bodies start counting from zero
  EXPECT_EQ(yard.settle(), (Slots{1, 2, 3, 4, 5, 6}));
  yard.sleeping.wake_all(yard.group.bodies);
  EXPECT_EQ(yard.sleepers(), Slots{});
}

TEST(Sleeping, KeepsWhatIsHeldAndWhatHasNoShapeAwake) {
  Yard yard(3);
  yard.held = {1};
  yard.group.shape_of[2] = physics::kNoShape;
  yard.joined = {{2, 3}};
  for (int i = 0; i < 100; ++i) EXPECT_EQ(yard.settle(), Slots{});
}

TEST(Sleeping, RefusesStatesThatNoTicksLeadTo) {
  Yard yard(3);
  yard.group.shape_of[2] = physics::kNoShape;
  const std::vector<physics::ContactBody> bodies = test::contact_bodies(yard.group.shaped());
  constexpr std::uint32_t kAwake = physics::Sleeping::kAwake;
  const auto sound = [&](const Slots& still, const Slots& islands) {
    return physics::Sleeping::check(bodies, kDt, still, islands).ok();
  };
  const Slots still{0, 30, 0, 30};
  EXPECT_TRUE(sound(still, {kAwake, 1, kAwake, 1}));
  EXPECT_FALSE(sound({0, 30, 0, 31}, Slots(4, kAwake)));
  EXPECT_FALSE(sound({1, 30, 0, 30}, Slots(4, kAwake)));             // slot 0 is fixed
  EXPECT_FALSE(sound({0, 30, 1, 30}, Slots(4, kAwake)));             // slot 2 has no shape
  EXPECT_FALSE(sound(still, {0, kAwake, kAwake, kAwake}));           // slot 0 is fixed
  EXPECT_FALSE(sound(still, {kAwake, kAwake, 2, kAwake}));           // slot 2 has no shape
  EXPECT_FALSE(sound(still, {kAwake, 3, kAwake, 3}));                // its lowest slot must name it
  EXPECT_FALSE(sound(still, {kAwake, 9, kAwake, kAwake}));           // no such slot
  EXPECT_FALSE(sound(still, {kAwake, kAwake, kAwake, 1}));           // slot 1 is awake
  EXPECT_FALSE(sound({0, 29, 0, 30}, {kAwake, 1, kAwake, kAwake}));  // slot 1: too short
}

TEST(Sleeping, KnowsContactsThatNoSleepHas) {
  Yard yard(3);
  const std::vector<physics::ContactBody> bodies = test::contact_bodies(yard.group.shaped());
  constexpr std::uint32_t kAwake = physics::Sleeping::kAwake;
  const auto parts = [&](std::uint32_t a, const Slots& islands) {
    return physics::Sleeping::parts(bodies, islands, physics::contact_key(a, 3, 0, 0, 0));
  };
  EXPECT_FALSE(parts(1, {kAwake, kAwake, kAwake, kAwake}));
  EXPECT_FALSE(parts(1, {kAwake, 1, kAwake, 1}));
  EXPECT_TRUE(parts(1, {kAwake, 1, kAwake, kAwake}));
  EXPECT_TRUE(parts(1, {kAwake, 1, kAwake, 3}));
  EXPECT_FALSE(parts(0, {kAwake, kAwake, kAwake, 3}));  // slot 0 is fixed
}

// Body 0 is fixed at first. It then becomes kinematic and turns in place.
TEST(Sleeping, WhatIsDrivenWakesAndKeepsAwake) {
  Yard yard(2);
  yard.near = {{1, 2}};
  yard.wait();
  EXPECT_EQ(yard.settle(), (Slots{1, 2}));
  const std::vector<physics::Pair> beside = {{0, 2}};
  EXPECT_FALSE(yard.sleeping.wake_near(yard.input(), {{}, {}, {}, beside}));
  yard.group.bodies.set(physics::BodyField::inverse_inertia_x, 0, Vec3{1, 1, 1});
  yard.group.bodies.set_angular_momentum(0, {0, 1, 0});
  EXPECT_TRUE(yard.sleeping.wake_near(yard.input(), {{}, {}, {}, beside}));
  EXPECT_EQ(yard.sleepers(), Slots{});
  yard.near = {{0, 2}, {1, 2}};
  for (int i = 0; i < 100; ++i) EXPECT_EQ(yard.settle(), Slots{});
}

TEST(Sleeping, WhatIsPushedIsNotStill) {
  Yard yard(1);
  yard.wait();
  yard.wake(1);
  yard.wait();
  yard.sleeping.wake_all(yard.group.bodies);
  yard.wait();
  EXPECT_EQ(yard.settle(), Slots{1});
}

}  // namespace
}  // namespace orrery
