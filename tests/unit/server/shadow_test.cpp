// Owns the tests of the shadow: silent while all is well, and exact when it is not.
#include "server/shadow.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "common/host/file.h"
#include "common/host/log_segments.h"
#include "common/session/replay.h"
#include "common/world/scenes.h"
#include "common/world/state_hash.h"
#include "common/world/step.h"
#include "tests/support/command_stream.h"

namespace orrery {
namespace {

struct Heard {
  int alarms = 0;
  Divergence divergence;
  std::vector<FlightTick> flight;
};

// A session with random commands; `fault` may break it after a tick.
template <class Fault>
Heard follow(Scene scene, Fault fault, int ticks = 300) {
  Heard heard;
  World world(std::move(scene));
  CommandStream commands(11);
  SerialExecutor executor;
  {
    Shadow shadow(world, "test", [&](const Divergence& found, const auto& flight) {
      ++heard.alarms;
      heard.divergence.tick = found.tick;
      heard.divergence.cause = found.cause;
      heard.divergence.source_a = found.source_a;
      heard.divergence.state = found.state;
      heard.divergence.body = found.body;
      heard.divergence.field = found.field;
      heard.flight = flight;
    });
    for (int i = 0; i < ticks; ++i) {
      step(world, commands.next(world), executor);
      fault(world);
      shadow.observe(world);
    }
  }
  return heard;
}

TEST(Shadow, IsSilentWhileAllIsWell) {
  for (const char* scene : {"playground", "tethers:20", "ragdolls:3"}) {
    EXPECT_EQ(follow(built_in_scene(scene).value(), [](World&) {}).alarms, 0) << scene;
  }
}

void push_two_bodies(World& world) {
  if (world.tick.value != 123) return;
  SerialExecutor executor;
  for (const std::uint32_t slot : {8u, 13u}) {
    world.bodies.set(BodyField::position_y, slot, world.bodies.position(slot).y + 1e-9);
  }
  world.hash = state_hash(world, executor);
}

TEST(Shadow, NamesWhatDiffersOnce) {
  const Heard heard = follow(built_in_scene("playground").value(), push_two_bodies);
  ASSERT_EQ(heard.alarms, 1);
  EXPECT_EQ(heard.divergence.tick.value, 123u);
  EXPECT_EQ(heard.divergence.source_a, Source::checkpoint);  // of the recorder
  EXPECT_EQ(heard.divergence.cause, Cause::machine);
  EXPECT_EQ(heard.divergence.state.bodies, 2u);
  EXPECT_EQ(slot_of(*heard.divergence.body), 8u);
  EXPECT_EQ(heard.divergence.field->field, BodyField::position_y);
  ASSERT_FALSE(heard.flight.empty());
  EXPECT_LE(heard.flight.front().tick.value, 122u);
}

TEST(Shadow, WritesAFlightThatVerifyComesToTheSameWith) {
  const Heard heard = follow(built_in_scene("playground").value(), push_two_bodies);
  std::string name = (std::filesystem::temp_directory_path() / "orrery-flight-XXXXXX").string();
  ASSERT_TRUE(mkdtemp(name.data()));
  const std::string path = name + "/flight";
  const Scene scene = built_in_scene("playground").value();
  ASSERT_TRUE(write_flight(path, scene, "test", {}, heard.flight));
  const auto source = FileSource::open(path);
  LogReader log(*source.value(), segments_of(path));
  const Result<LogHeader> header = log.read_header();
  ASSERT_TRUE(header);
  World world = std::move(initial_world(header.value()).value());
  SerialExecutor executor;
  const Verification found = verify(log, header.value(), world, executor, [] {});
  EXPECT_EQ(found.first_divergent_tick, 123u);
  EXPECT_EQ(found.ticks, heard.flight.size() - 1);
  EXPECT_EQ(found.tail.lost_ticks, heard.flight.front().tick.value);
  EXPECT_TRUE(found.tail.closed && !found.tail.damaged) << found.tail.reason;
  std::filesystem::remove_all(name);
}

TEST(Shadow, KeepsTheLastTenSeconds) {
  Scene scene = built_in_scene("tumble").value();
  scene.tick_rate = 10;
  const auto at_the_end = [](World& world) {
    if (world.tick.value == 150) world.hash ^= 1;
  };
  const Heard heard = follow(scene, at_the_end, 150);
  ASSERT_EQ(heard.alarms, 1);
  ASSERT_EQ(heard.flight.size(), 100u);
  EXPECT_EQ(heard.flight.front().tick.value, 51u);
  EXPECT_EQ(heard.flight.back().tick.value, 150u);
}

TEST(Shadow, SaysWhereAFlightCannotBeWritten) {
  const Scene scene = built_in_scene("tumble").value();
  const Heard heard = follow(scene, [](World& world) {
    if (world.tick.value == 9) world.hash ^= 1;
  });
  ASSERT_EQ(heard.alarms, 1);
  EXPECT_EQ(heard.divergence.tick.value, 9u);
  EXPECT_FALSE(write_flight("/nowhere/flight", scene, "test", {}, heard.flight));
}

}  // namespace
}  // namespace orrery
