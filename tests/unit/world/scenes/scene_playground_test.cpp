// Tests that the scene `playground` keeps moving by itself, and recovers from clients' commands.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "common/core/rng.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using test::run;

World playground() { return World(built_in_scene("playground").value()); }

struct Reach {
  double distance = 0;  // largest distance of a hanging body from its place in the scene
  double speed = 0;     // largest speed of a body
  double outside = 0;   // largest depth of a centre in floor or walls; negative: inside the room
};

// Returns true if a spring or tether holds the body.
bool hangs(const Scene& scene, std::uint32_t body) {
  return std::any_of(scene.springs.begin(), scene.springs.end(),
                     [=](const SpringDef& s) { return s.a == body || s.b == body; }) ||
         std::any_of(scene.tethers.begin(), scene.tethers.end(),
                     [=](const TetherDef& t) { return t.body == body; });
}

Reach reach_of(const World& world) {
  Reach reach{0, 0, -1e9};
  for (std::uint32_t i = 0; i < world.scene().bodies.size(); ++i) {
    if (world.scene().bodies[i].kind == BodyKind::anchor) continue;
    const Vec3 at = world.bodies().position(i);
    const double off = length(at - world.scene().bodies[i].position);
    if (hangs(world.scene(), i)) reach.distance = std::max(reach.distance, off);
    reach.speed = std::max(reach.speed, length(world.bodies().velocity(i)));
    reach.outside = std::max({reach.outside, -at.y, std::abs(at.x) - 12, std::abs(at.z) - 9});
  }
  return reach;
}

TEST(Playground, HasManyNamedBodiesThatFitThreeDatagrams) {
  const Scene scene = built_in_scene("playground").value();
  EXPECT_GE(scene.bodies.size(), 30u);
  EXPECT_LE(scene.bodies.size(), 45u);
  ASSERT_EQ(scene.names.size(), scene.bodies.size());
  const std::set<std::string> names(scene.names.begin(), scene.names.end());
  EXPECT_EQ(names.size(), scene.bodies.size());
  EXPECT_EQ(names.count(""), 0u);
  for (const BodyDef& body : scene.bodies) {
    EXPECT_NE(body.shape, physics::kNoShape);
    EXPECT_EQ(body.control, body.kind == BodyKind::anchor ? Control::nobody : Control::anyone);
  }
}

// Loose bodies come to rest on the floor, with the crates still stacked.
TEST(Playground, LooseBodiesLieOnTheFloor) {
  World world = playground();
  run(world, 60 * 20);
  double crates_top = 0;
  int loose = 0;
  for (std::uint32_t i = 0; i < world.scene().bodies.size(); ++i) {
    if (world.scene().bodies[i].kind == BodyKind::anchor || hangs(world.scene(), i)) continue;
    SCOPED_TRACE(world.scene().names[i]);
    ++loose;
    EXPECT_LT(length(world.bodies().velocity(i)), 0.05);
    EXPECT_GT(world.bodies().position(i).y, 0.1);
    EXPECT_LT(world.bodies().position(i).y, 2.1);
    crates_top = std::max(crates_top, world.bodies().position(i).y);
  }
  EXPECT_EQ(loose, 7);
  EXPECT_NEAR(crates_top, 2, 0.01);
}

TEST(PlaygroundSlow, StaysLivelyByItself) {
  World world = playground();
  run(world, 60 * 600);
  const Reach reach = reach_of(world);
  std::printf("after 10 minutes: at most %.2f m off, %.2f m/s\n", reach.distance, reach.speed);
  EXPECT_LT(reach.distance, 5);
  EXPECT_GT(reach.speed, 0.5);
  EXPECT_LT(reach.outside, 0);
  const auto spin = [&](const char* name) {
    const auto& names = world.scene().names;
    const auto at = std::find(names.begin(), names.end(), name);
    return length(world.bodies().angular_velocity(static_cast<std::uint32_t>(at - names.begin())));
  };
  EXPECT_NEAR(spin("gyroscope"), 40, 1);
  EXPECT_NEAR(spin("top"), 40, 1);
  EXPECT_NEAR(spin("t-handle"), 5, 1);
}

// Eight clients that grab, drag, release and push bodies.
class Players {
 public:
  Players(std::uint64_t seed, std::uint32_t bodies) : draw_(seed), bodies_(bodies) {}

  std::vector<Command> next() {
    std::vector<Command> commands;
    ++sequence_;
    for (std::uint32_t client = 1; client <= 8; ++client) {
      const BodyId body{draw_.below(bodies_)};
      const std::uint32_t chance = draw_.below(240);
      Vec3f target;
      target.x = static_cast<float>(12 * draw_.symmetric());
      target.y = static_cast<float>(4 + 6 * draw_.symmetric());
      target.z = static_cast<float>(8 * draw_.symmetric());
      const auto give = [&](CommandPayload payload) {
        commands.push_back({ClientId{client}, Sequence{sequence_}, std::move(payload)});
      };
      if (chance < 3) give(command::Grab{body, {0, 0.2f, 0}, target});
      if (chance >= 3 && chance < 40) give(command::Move{target});
      if (chance == 40) give(command::Release{});
      if (chance == 41) give(command::Impulse{body, {5, 5, -5}});
    }
    return commands;
  }

 private:
  SplitMix64 draw_;
  std::uint32_t bodies_;
  std::uint32_t sequence_ = 0;
};

Reach pull(World& world, std::uint64_t seed, int ticks) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  SerialExecutor serial;
  std::vector<Command> commands;
  for (std::uint32_t c = 1; c <= 8; ++c) {
    commands.push_back({kServer, Sequence{c}, command::Join{ClientId{c}, Role::play}});
  }
  step(world, commands, serial);
  Players players(seed, static_cast<std::uint32_t>(world.scene().bodies.size()));
  Reach most{0, 0, -1e9};
  for (int tick = 1; tick <= ticks; ++tick) {
    step(world, players.next(), serial);
    const Reach reach = reach_of(world);
    most.distance = std::max(most.distance, reach.distance);
    most.speed = std::max(most.speed, reach.speed);
    most.outside = std::max(most.outside, reach.outside);
  }
  for (std::uint32_t c = 1; c <= 8; ++c) {
    commands[c - 1] = {kServer, Sequence{c}, command::Leave{ClientId{c}}};
  }
  step(world, commands, serial);
  return most;
}

void expect_bounded(std::uint64_t seed, int ticks) {
  World world = playground();
  const Reach most = pull(world, seed, ticks);
  std::printf("while pulled: at most %.1f m off, %.1f m/s\n", most.distance, most.speed);
  EXPECT_LT(most.distance, 40);
  EXPECT_LT(most.speed, 100);
  EXPECT_LT(most.outside, 0);
  run(world, ticks);
  const Reach settled = reach_of(world);
  std::printf("left alone as long: %.1f m off, %.1f m/s\n", settled.distance, settled.speed);
  EXPECT_LT(settled.distance, 8);
  EXPECT_LT(settled.speed, 15);  // a spinning top still swings, because its spin hardly slows
}

TEST(Playground, IsBoundedWhileEightClientsPullForAMinute) { expect_bounded(20, 60 * 60); }

TEST(PlaygroundSlow, IsBoundedWhileEightClientsPullForTenMinutes) {
  for (std::uint64_t seed = 21; seed <= 24; ++seed) expect_bounded(seed, 60 * 600);
}

}  // namespace
}  // namespace orrery
