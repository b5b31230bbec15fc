// Tests islands against a graph search, and when islands fall asleep and wake.
#include "common/physics/rest/sleeping.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/colliding_bodies.h"
#include "tests/unit/physics/contact_world.h"

namespace orrery {
namespace {

using test::CollidingBodies;
using Slots = std::vector<std::uint32_t>;

constexpr double kDt = 1.0 / 60;

// Returns the lowest slot that each slot can reach, by following pairs until nothing changes.
Slots reachable(std::uint32_t slots, const std::vector<physics::Pair>& pairs) {
  Slots lowest(slots);
  for (std::uint32_t i = 0; i < slots; ++i) lowest[i] = i;
  for (bool changed = true; changed;) {
    changed = false;
    for (const physics::Pair& pair : pairs) {
      const std::uint32_t least = std::min(lowest[pair.a], lowest[pair.b]);
      changed = changed || lowest[pair.a] != least || lowest[pair.b] != least;
      lowest[pair.a] = lowest[pair.b] = least;
    }
  }
  return lowest;
}

TEST(Islands, AreWhatCanBeReachedInAnyOrderOfJoining) {
  SplitMix64 random(21);
  for (int round = 0; round < 50; ++round) {
    constexpr std::uint32_t kSlots = 200;
    std::vector<physics::Pair> pairs;
    for (std::uint32_t i = 0; i < 3u * static_cast<std::uint32_t>(round); ++i) {
      const std::uint32_t a = random.below(kSlots);
      pairs.push_back({a, random.below(kSlots)});
    }
    const Slots expected = reachable(kSlots, pairs);
    for (int order = 0; order < 3; ++order) {
      physics::Islands islands;
      islands.reset(kSlots);
      for (const physics::Pair& pair : pairs) islands.join(pair.a, pair.b);
      for (std::uint32_t i = 0; i < kSlots; ++i) EXPECT_EQ(islands.find(i), expected[i]);
      for (std::size_t i = pairs.size(); i > 1; --i) {
        std::swap(pairs[i - 1], pairs[random.below(static_cast<std::uint32_t>(i))]);
      }
    }
  }
}

// Moving balls, and a fixed one in slot 0.
struct Yard {
  explicit Yard(std::uint32_t balls)
      : group(balls + 1), contacts(group.bodies.capacity()), sleeping(group.bodies.capacity()) {
    group.add(group.ball, {}, false);
    for (std::uint32_t i = 0; i < balls; ++i) group.add(group.ball, {2.0 * i, 0, 0}, true);
  }

  physics::Sleeping::Input input() {
    return {group.bodies, group.shapes, group.shape_of, contacts};
  }
  // Runs a tick and returns the bodies that sleep after it.
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
  // Settles for one tick less than a body needs to fall asleep.
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
  EXPECT_EQ(physics::still_ticks_needed(1e6), 1u);
  Yard yard(1);
  yard.wait();
  yard.group.bodies.set_velocity(1, {0, physics::kStillSpeed, 0});
  EXPECT_EQ(yard.settle(), Slots{});
  yard.group.bodies.set_velocity(1, {0, 0.99 * physics::kStillSpeed, 0});
  yard.wait();
  EXPECT_EQ(yard.settle(), Slots{1});
}

TEST(Sleeping, IsToBeAtRestAndAsIfFixed) {
  Yard yard(1);
  physics::Bodies& bodies = yard.group.bodies;
  bodies.set(physics::BodyField::inverse_inertia_x, 1, Vec3{2, 3, 4});
  bodies.set(physics::BodyField::gravity_scale, 1, 0.5);
  bodies.set_velocity(1, {0, 0.2 * physics::kStillSpeed, 0});
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
  yard.group.bodies.set_angular_momentum(1,
                                         {0, 1.01 * physics::kStillSpeed / test::kBallRadius, 0});
  yard.wait();
  EXPECT_EQ(yard.settle(), Slots{});
}

TEST(Sleeping, TakesIslandsAsOne) {
  Yard yard(6);
  yard.near = {{0, 1}, {0, 4}, {1, 2}, {4, 5}};
  yard.joined = {{6, 5}};
  yard.group.bodies.set_velocity(6, {1, 0, 0});
  yard.wait();
  // 4 and 5 are linked to 6; 0 is fixed and links nothing
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

std::vector<physics::ContactBody> bodies_of(const physics::Bodies& bodies, const Slots& shape_of) {
  std::vector<physics::ContactBody> found;
  for (std::uint32_t slot = 0; slot < bodies.slots(); ++slot) {
    found.push_back(physics::contact_body(bodies, slot, shape_of[slot]));
  }
  return found;
}

TEST(Sleeping, RefusesStatesThatNoTicksLeadTo) {
  Yard yard(3);
  yard.group.shape_of[2] = physics::kNoShape;
  const std::vector<physics::ContactBody> bodies =
      bodies_of(yard.group.bodies, yard.group.shape_of);
  constexpr std::uint32_t kAwake = physics::Sleeping::kAwake;
  const auto sound = [&](const Slots& still, const Slots& islands) {
    return physics::Sleeping::check(bodies, kDt, still, islands).ok();
  };
  const Slots still{0, 30, 0, 30};
  EXPECT_TRUE(sound(still, {kAwake, 1, kAwake, 1}));
  EXPECT_FALSE(sound({0, 30, 0, 31}, Slots(4, kAwake)));
  EXPECT_FALSE(sound({1, 30, 0, 30}, Slots(4, kAwake)));             // fixed
  EXPECT_FALSE(sound({0, 30, 1, 30}, Slots(4, kAwake)));             // without a shape
  EXPECT_FALSE(sound(still, {0, kAwake, kAwake, kAwake}));           // fixed
  EXPECT_FALSE(sound(still, {kAwake, kAwake, 2, kAwake}));           // without a shape
  EXPECT_FALSE(sound(still, {kAwake, 3, kAwake, 3}));                // named by a later slot
  EXPECT_FALSE(sound(still, {kAwake, 9, kAwake, kAwake}));           // no such slot
  EXPECT_FALSE(sound(still, {kAwake, kAwake, kAwake, 1}));           // 1 is awake
  EXPECT_FALSE(sound({0, 29, 0, 30}, {kAwake, 1, kAwake, kAwake}));  // not long enough
}

TEST(Sleeping, KnowsContactsThatNoSleepHas) {
  Yard yard(3);
  const std::vector<physics::ContactBody> bodies =
      bodies_of(yard.group.bodies, yard.group.shape_of);
  constexpr std::uint32_t kAwake = physics::Sleeping::kAwake;
  const auto parts = [&](std::uint32_t a, const Slots& islands) {
    return physics::Sleeping::parts(bodies, islands, physics::contact_key(a, 3, 0, 0, 0));
  };
  EXPECT_FALSE(parts(1, {kAwake, kAwake, kAwake, kAwake}));
  EXPECT_FALSE(parts(1, {kAwake, 1, kAwake, 1}));
  EXPECT_TRUE(parts(1, {kAwake, 1, kAwake, kAwake}));
  EXPECT_TRUE(parts(1, {kAwake, 1, kAwake, 3}));
  EXPECT_FALSE(parts(0, {kAwake, kAwake, kAwake, 3}));  // with a fixed body
}

// Body 0 is kinematic and turns in place.
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

// A world with contacts and sleep.
struct SleepyWorld : ContactWorld {
  explicit SleepyWorld(std::uint32_t capacity)
      : ContactWorld(capacity), sleeping(bodies.capacity()) {}

  physics::Sleeping::Input input() { return {bodies, shapes, shape_of, solver.contacts()}; }

  void tick() {
    find_pairs();
    while (sleeping.wake_near(input(), {broad_phase.pairs(), {}, {}})) find_pairs();
    const physics::Sleeping::Links links{broad_phase.pairs(), {}, {}};
    if (may_sleep && sleeping.settle(input(), links, time)) find_pairs();
    step(executor);
  }
  void ticks(int count) {
    for (int i = 0; i < count; ++i) tick();
  }
  std::uint64_t contacts_hash() {
    return solver.contacts().hash(executor) + sleeping.contacts_hash();
  }
  void push(std::uint32_t slot, const Vec3& velocity) {
    sleeping.wake(bodies, slot);
    bodies.set_velocity(slot, bodies.velocity(slot) + velocity);
  }
  void find_pairs() {
    broad_phase.bodies_changed();
    broad_phase.update(bodies, shapes, shape_of, physics::kContactMargin, executor);
  }

  physics::Sleeping sleeping;
  SerialExecutor executor;
  bool may_sleep = true;
};

// Adds a tower of boxes on a separate floor, every second box displaced by `offset`.
void add_tower(SleepyWorld& world, double x, std::uint32_t boxes, double offset = 0.01) {
  world.add_fixed(world.add_box({3, 0.5, 3}), {x, -0.5, 0});
  const std::uint32_t box = world.add_box({0.5, 0.5, 0.5});
  for (std::uint32_t i = 0; i < boxes; ++i) world.add(box, {x, 0.51 + 1.01 * i, offset * (i % 2)});
}

TEST(Sleeping, AWokenTowerStandsAsBefore) {
  SleepyWorld world(64);
  add_tower(world, 0, 2, 0);
  world.may_sleep = false;
  world.ticks(120);
  world.may_sleep = true;
  world.ticks(40);
  ASSERT_EQ(world.sleeping.count(), 2u);
  EXPECT_EQ(world.solver.contacts().size(), 0u);
  EXPECT_EQ(world.sleeping.contacts().size(), 2u);
  std::vector<Vec3> before;
  for (std::uint32_t i = 1; i <= 2; ++i) before.push_back(world.bodies.position(i));
  world.ticks(60);
  for (std::uint32_t i = 1; i <= 2; ++i) EXPECT_EQ(world.bodies.position(i), before[i - 1]);
  world.may_sleep = false;
  world.sleeping.wake_all(world.bodies);
  for (int tick = 0; tick < 120; ++tick) {
    world.tick();
    ASSERT_EQ(world.solver.contacts().size(), 2u);
    for (std::uint32_t i = 1; i <= 2; ++i) {
      ASSERT_LT(length(world.bodies.position(i) - before[i - 1]), 1e-4) << "tick " << tick;
    }
  }
}

TEST(Sleeping, KeepsTheContactsAndTheirHash) {
  SleepyWorld world(64);
  add_tower(world, 0, 6);
  world.may_sleep = false;
  world.ticks(200);
  const std::uint64_t hash = world.contacts_hash();
  const std::vector<std::uint32_t> still(7, 0);
  std::vector<std::uint32_t> islands(7, 1);
  islands[0] = physics::Sleeping::kAwake;
  std::vector<physics::ContactRecord> records;
  world.solver.contacts().save(records);
  world.solver.contacts().restore({}, world.bodies, world.shapes, world.shape_of);
  world.sleeping.restore(world.bodies, still, islands);
  for (const physics::ContactRecord& record : records) world.sleeping.restore_contact(record);
  EXPECT_EQ(world.sleeping.count(), 6u);
  EXPECT_EQ(world.solver.contacts().size(), 0u);
  EXPECT_EQ(world.contacts_hash(), hash);
  world.sleeping.wake(world.bodies, 4);
  world.find_pairs();
  EXPECT_TRUE(world.sleeping.wake_near(world.input(), {}));
  EXPECT_EQ(world.solver.contacts().size(), 6u);
  EXPECT_EQ(world.solver.contacts().hash(world.executor), hash);
  EXPECT_EQ(world.sleeping.contacts_hash(), 0u);
}

TEST(Sleeping, ABodyThatFallsOnATowerWakesIt) {
  SleepyWorld world(64);
  add_tower(world, 0, 3);
  world.ticks(200);
  ASSERT_EQ(world.sleeping.count(), 3u);
  const std::uint32_t ball = world.add(world.add_ball(0.3), {0, 4.5, 0});
  bool woke = false;
  for (int tick = 0; tick < 60; ++tick) {
    world.tick();
    woke = woke || world.sleeping.count() == 0;
    EXPECT_GT(world.bodies.position(ball).y, 3.2);
  }
  EXPECT_TRUE(woke);
}

// Two worlds have the same first tower. One of them has nothing else.
TEST(Sleeping, NoIslandDependsOnAnothersSleep) {
  SleepyWorld alone(64);
  SleepyWorld both(64);
  add_tower(alone, 0, 3);
  add_tower(both, 0, 3);
  add_tower(both, 20, 2);
  bool slept_apart = false;
  for (int tick = 0; tick < 400; ++tick) {
    if (tick % 90 == 70) both.push(6, {0, 0.3, 0});
    if (tick == 200) {
      alone.push(3, {0.2, 0, 0});
      both.push(3, {0.2, 0, 0});
    }
    alone.tick();
    both.tick();
    slept_apart = slept_apart || both.sleeping.asleep(3) != both.sleeping.asleep(6);
    for (std::uint32_t slot = 1; slot <= 3; ++slot) {
      ASSERT_EQ(both.bodies.position(slot), alone.bodies.position(slot)) << "tick " << tick;
      ASSERT_EQ(both.bodies.orientation(slot), alone.bodies.orientation(slot)) << "tick " << tick;
      ASSERT_EQ(both.bodies.velocity(slot), alone.bodies.velocity(slot)) << "tick " << tick;
    }
  }
  EXPECT_TRUE(slept_apart);
}

// Copies everything that an image contains. This restores the masses of sleeping bodies.
void copy_state(SleepyWorld& from, SleepyWorld& to) {
  for (std::size_t f = 0; f < physics::kStateFields; ++f) {
    const auto field = static_cast<physics::BodyField>(f);
    std::copy_n(from.bodies.field(field), from.bodies.capacity(), to.bodies.field(field));
  }
  to.sleeping.wake_all(to.bodies);
  std::vector<physics::ContactRecord> records;
  from.solver.contacts().save(records);
  const std::span<const physics::ContactRecord> resting = from.sleeping.contacts();
  to.solver.contacts().restore(records, to.bodies, to.shapes, to.shape_of);
  const physics::Sleeping& sleeping = from.sleeping;
  const std::vector<physics::ContactBody> bodies = bodies_of(to.bodies, to.shape_of);
  ASSERT_TRUE(physics::Sleeping::check(bodies, to.time, sleeping.still_ticks().first(bodies.size()),
                                       sleeping.islands().first(bodies.size()))
                  .ok());
  for (const auto& contacts : {std::span<const physics::ContactRecord>(records), resting}) {
    for (const physics::ContactRecord& record : contacts) {
      ASSERT_FALSE(physics::Sleeping::parts(bodies, sleeping.islands(), record.key));
    }
  }
  to.sleeping.restore(to.bodies, sleeping.still_ticks(), sleeping.islands());
  for (const physics::ContactRecord& record : resting) to.sleeping.restore_contact(record);
}

TEST(Sleeping, GoesOnWithTheSameBitsAfterARestoreAtAnyTick) {
  SleepyWorld world(64);
  SleepyWorld other(64);
  for (SleepyWorld* w : {&world, &other}) {
    add_tower(*w, 0, 3);
    add_tower(*w, 20, 2);
  }
  for (int tick = 0; tick < 300; ++tick) {
    if (tick % 7 == 3) copy_state(world, other);
    if (tick % 80 == 60) {
      world.push(6, {0, 1, 0});
      other.push(6, {0, 1, 0});
    }
    world.tick();
    other.tick();
    ASSERT_EQ(other.hash(), world.hash()) << "tick " << tick;
    ASSERT_EQ(other.contacts_hash(), world.contacts_hash()) << "tick " << tick;
    ASSERT_TRUE(std::ranges::equal(other.sleeping.islands(), world.sleeping.islands()));
  }
  EXPECT_GE(world.sleeping.count(), 3u);
}

}  // namespace
}  // namespace orrery
