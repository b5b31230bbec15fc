// Tests that sleeping bodies keep their places and contacts, also through a restore.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/physics/rest/sleeping.h"
#include "tests/support/colliding_bodies.h"
#include "tests/support/contact_records.h"
#include "tests/unit/physics/contact_world.h"

namespace orrery {
namespace {

// A world with contacts and sleep.
struct SleepyWorld : ContactWorld {
  explicit SleepyWorld(std::uint32_t capacity)
      : ContactWorld(capacity), sleeping(bodies.capacity()) {}

  physics::Sleeping::Input input() {
    return {bodies, shapes, shape_of, solver.contacts(), gravity};
  }

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
    broad_phase.update(shaped(), margin(), executor);
  }

  physics::Sleeping sleeping;
  SerialExecutor executor;
  bool may_sleep = true;
};

// Adds a tower of boxes at x on its own floor. Every second box is displaced by `offset` along z.
void add_tower(SleepyWorld& world, double x, std::uint32_t boxes, double offset = 0.01) {
  world.add_fixed(world.add_box({3, 0.5, 3}), {x, -0.5, 0});
  const std::uint32_t box = world.add_box({0.5, 0.5, 0.5});
  for (std::uint32_t i = 0; i < boxes; ++i) world.add(box, {x, 0.51 + 1.01 * i, offset * (i % 2)});
}

// A body that was thrown up is slow for a long time where gravity is weak. It stays awake until it
// lies on the ground, also if its highest point is within the contact margin.
TEST(Sleeping, ABodyInTheAirStaysAwake) {
  for (const double height : {0.005, 1.0}) {
    SleepyWorld world(64);
    world.gravity = {0, -0.0005, 0};
    world.add_fixed(world.add_box({3, 0.5, 3}), {0, -0.5, 0});
    const std::uint32_t box = world.add(world.add_box({0.5, 0.5, 0.5}), {0, 0.5 + height, 0});
    world.ticks(180);
    EXPECT_EQ(world.sleeping.count(), 0u) << height;
    EXPECT_LT(world.bodies.velocity(box).y, -0.001) << height;
    world.gravity = {0, -9.81, 0};
    world.ticks(240);
    EXPECT_EQ(world.sleeping.count(), 1u) << height;
  }
}

// A ball that rolls down a slope of 6 degrees under weak gravity is slow for a long time, too.
TEST(Sleeping, ABallOnASlopeStaysAwake) {
  for (const double gravity : {1e-4, 0.0057, 9.81}) {
    SleepyWorld world(64);
    world.gravity = {0.1 * gravity, -gravity, 0};
    world.add_fixed(world.add_box({50, 0.5, 3}), {0, -0.5, 0});
    const std::uint32_t ball = world.add(world.add_ball(0.5), {0, 0.5, 0});
    world.ticks(180);
    EXPECT_EQ(world.sleeping.count(), 0u) << gravity;
    // 5/7 of the slope's pull moves a ball that rolls, for three seconds
    EXPECT_NEAR(world.bodies.velocity(ball).x, 5.0 / 7 * 0.1 * gravity * 3, 0.02 * gravity);
  }
}

// Without gravity a body that drifts slowly is not at rest.
TEST(Sleeping, ABodyThatDriftsStaysAwake) {
  SleepyWorld world(64);
  world.gravity = {};
  world.add(world.add_ball(0.5), {0, 0, 0}, {1e-6, 0, 0});
  world.add(world.add_ball(0.5), {3, 0, 0});
  world.ticks(180);
  EXPECT_EQ(world.sleeping.count(), 1u);
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
  std::vector<physics::ContactRecord> records = test::records_of(world.solver.contacts());
  test::restore_records(world.solver.contacts(), {}, world.shaped());
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

// Two worlds have the same first tower, which is pushed once. Only one of them has a second tower,
// which is pushed at other times.
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

// Copies everything that an image contains. wake_all() restores the masses of the bodies that sleep
// in `to`.
void copy_state(SleepyWorld& from, SleepyWorld& to) {
  for (std::size_t f = 0; f < physics::kStateFields; ++f) {
    const auto field = static_cast<physics::BodyField>(f);
    std::copy_n(from.bodies.field(field), from.bodies.capacity(), to.bodies.field(field));
  }
  to.sleeping.wake_all(to.bodies);
  std::vector<physics::ContactRecord> records = test::records_of(from.solver.contacts());
  const std::span<const physics::ContactRecord> resting = from.sleeping.contacts();
  test::restore_records(to.solver.contacts(), records, to.shaped());
  const physics::Sleeping& sleeping = from.sleeping;
  const std::vector<physics::ContactBody> bodies = test::contact_bodies(to.shaped());
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
