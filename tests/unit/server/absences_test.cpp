// Tests when absent players lose the bodies that they spawned.
#include "server/absences.h"

#include <gtest/gtest.h>

#include <optional>

#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery::server {
namespace {

using namespace test;

constexpr std::uint64_t kAnn = 5'000'000'000;

class AbsencesTest : public testing::Test {
 protected:
  AbsencesTest() : world_(scene()) { absences_.emplace(world_); }

  static Scene scene() {
    Scene scene = small_scene();
    scene.absence_max = 0.5;  // 30 ticks
    return scene;
  }

  void tick(const Command& command) {
    ASSERT_TRUE(try_command(world_, command));
    absences_->observe(world_);
  }

  // Makes ticks until an account loses its bodies, at most 100. Returns the ticks, or -1.
  int ticks_until_over() {
    for (int i = 0; i < 100; ++i) {
      const auto over = absences_->over(Tick{world_.tick().value + 1});
      if (!over.empty()) {
        EXPECT_EQ(over.size(), 1u);
        EXPECT_EQ(over[0], kAnn);
        return i;
      }
      run(world_, 1);
      absences_->observe(world_);
    }
    return -1;
  }

  void join_ann(std::uint32_t client) {
    tick(give(0, command::Join{ClientId{client}, Role::play, kAnn}));
  }

  void spawn() { tick(give(1, command::Spawn{kUnowned, {1, 2, 3}, {}})); }

  World world_;
  std::optional<Absences> absences_;
};

TEST_F(AbsencesTest, BodiesStayForTheTimeOfTheScene) {
  join_ann(1);
  spawn();
  EXPECT_EQ(ticks_until_over(), -1);
  tick(leave(1));
  EXPECT_EQ(ticks_until_over(), 30);
  tick(give(0, command::Disown{kAnn}));
  EXPECT_EQ(ticks_until_over(), -1);
}

TEST_F(AbsencesTest, AReturnEndsTheAbsence) {
  join_ann(1);
  spawn();
  tick(leave(1));
  run(world_, 20);
  join_ann(7);
  EXPECT_EQ(ticks_until_over(), -1);
  tick(leave(7));
  EXPECT_EQ(ticks_until_over(), 30);
}

TEST_F(AbsencesTest, AnotherLeaveDoesNotProlongIt) {
  join_ann(1);
  spawn();
  tick(leave(1));
  run(world_, 20);
  tick(join(2, Role::play));
  tick(leave(2));
  EXPECT_EQ(ticks_until_over(), 8);
}

TEST_F(AbsencesTest, WhoOwnsNothingSpawnedIsNotWaitedFor) {
  join_ann(1);
  tick(leave(1));
  EXPECT_EQ(ticks_until_over(), -1);
}

// The first body of the scene has an owner, and a spawned body was removed. Its empty slot belongs
// to nobody, and nobody is not an account that is away. Nor is it when an admin takes a body away.
TEST(Absences, NobodyIsNotAway) {
  for (const bool removes : {true, false}) {
    Scene scene = small_scene();
    scene.absence_max = 0.5;
    scene.bodies[0].control = Control::owner;
    scene.bodies[0].owner = 1;
    World world(scene);
    Absences absences(world);
    const auto tick = [&](const Command& command) {
      ASSERT_TRUE(try_command(world, command));
      absences.observe(world);
    };
    tick(join(1, Role::admin));
    tick(give(1, command::Spawn{0, {1, 2, 3}, {}}));
    const BodyId spawned = body_id(world, static_cast<std::uint32_t>(scene.bodies.size()));
    if (removes) {
      tick(give(1, command::Remove{spawned}));
    } else {
      tick(give(1, command::SetControl{spawned, Control::owner, 0}));
    }
    tick(leave(1));
    for (int i = 0; i < 100; ++i) {
      EXPECT_TRUE(absences.over(Tick{world.tick().value + 1}).empty());
      run(world, 1);
      absences.observe(world);
    }
  }
}

// A resumed session has owners, but nobody is connected.
TEST_F(AbsencesTest, AResumedSessionWaitsForAll) {
  join_ann(1);
  spawn();
  tick(leave(1));
  run(world_, 25);
  absences_.emplace(world_);
  EXPECT_EQ(ticks_until_over(), 30);
}

}  // namespace
}  // namespace orrery::server
