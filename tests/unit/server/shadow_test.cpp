// Tests the shadow: no alarm without a fault, and an exact report of a fault.
#include "server/shadow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <variant>

#include "common/host/disk/flight_file.h"
#include "common/session/log_records.h"
#include "common/session/replay/replay.h"
#include "common/session/writer/log_writer.h"
#include "common/world/fault_injector.h"
#include "common/world/image/image.h"
#include "common/world/image/state_hash.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/command_stream.h"
#include "tests/support/disk_log.h"
#include "tests/support/simulated_disk.h"

namespace orrery {
namespace {

using namespace std::chrono_literals;

struct Heard {
  int alarms = 0;
  session::Divergence divergence;
  std::vector<session::FlightTick> flight;
};

struct Nowhere final : session::RecordSink {
  bool begin(const codec::LogHeader&, const session::LogRecord*) override { return true; }
  bool append(const session::LogRecord&) override { return true; }
};

using Record = std::vector<std::uint8_t>;  // payload of a tick's log record

// Runs a session with random commands and a shadow. Returns what the alarm reported. `fault` may
// change the world after a tick, `damage` the record of the tick.
Heard follow(Scene scene, const std::function<void(World&)>& fault, int ticks = 300,
             const std::function<void(const World&, Record&)>& damage = {}) {
  Heard heard;
  World world(std::move(scene));
  CommandStream commands(11);
  SerialExecutor executor;
  Nowhere nowhere;
  session::SessionLog log(nowhere, session::make_log_header(world, "test", {}));
  {
    server::Shadow shadow(world, "test", [&](const session::Divergence& found, const auto& flight) {
      ++heard.alarms;
      heard.divergence.tick = found.tick;
      heard.divergence.cause = found.cause;
      heard.divergence.why = found.why;
      heard.divergence.source_a = found.source_a;
      heard.divergence.state = found.state;
      heard.divergence.body = found.body;
      heard.divergence.field = found.field;
      heard.flight = flight;
    });
    for (int i = 0; i < ticks; ++i) {
      step(world, commands.next(world), executor);
      fault(world);
      log.append_tick(world);
      Record record(log.last_tick().begin(), log.last_tick().end());
      if (damage) damage(world, record);
      shadow.observe(world, record);
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
  if (world.tick().value != 123) return;
  SerialExecutor executor;
  for (const std::uint32_t slot : {8u, 13u}) {
    FaultInjector(world).state().bodies.set(physics::BodyField::position_y, slot,
                                            world.bodies().position(slot).y + 1e-9);
  }
  FaultInjector(world).update_hash(executor);
}

TEST(Shadow, NamesWhatDiffersOnce) {
  const Heard heard = follow(built_in_scene("playground").value(), push_two_bodies);
  ASSERT_EQ(heard.alarms, 1);
  EXPECT_EQ(heard.divergence.tick.value, 123u);
  EXPECT_EQ(heard.divergence.source_a, session::Source::checkpoint);  // an image in the recorder
  EXPECT_EQ(heard.divergence.cause, session::Cause::machine);
  EXPECT_EQ(heard.divergence.state.bodies, 2u);
  EXPECT_EQ(slot_of(*heard.divergence.body), 8u);
  EXPECT_EQ(heard.divergence.field->field, physics::BodyField::position_y);
  ASSERT_FALSE(heard.flight.empty());
  EXPECT_LE(heard.flight.front().tick.value, 122u);
}

// Changes one bit of one command, like a bug in the log encoder. `hit` is the tick of the command.
TEST(Shadow, SeesACommandThatTheLogHasOtherwise) {
  std::uint64_t hit = 0;
  const auto damage = [&](const World& world, Record& record) {
    if (hit != 0 || world.tick().value < 130 || world.applied().empty()) return;
    const auto* push = std::get_if<command::Impulse>(&world.applied().back().payload);
    if (!push || std::abs(push->impulse.z) < 1e-3) return;  // one bit of 0 changes no state
    hit = world.tick().value;
    record[record.size() - sizeof(float)] ^= 1;  // lowest bit of the last number
    session::TickRecord read;
    ASSERT_TRUE(session::decode_tick(record, read, session::RecordType::tick));
    ASSERT_EQ(read.commands.size(), world.applied().size());
  };
  const auto sound = [](World&) {};
  const Heard heard = follow(built_in_scene("playground").value(), sound, 300, damage);
  ASSERT_NE(hit, 0u);
  ASSERT_EQ(heard.alarms, 1);
  EXPECT_EQ(heard.divergence.tick.value, hit);
  EXPECT_TRUE(heard.divergence.state.any());  // a replay of the changed record gives another state
}

TEST(Shadow, SeesARecordThatIsOfNoTickOfTheSession) {
  const auto sound = [](World&) {};
  const auto other_hash = [](Record& record) { record[3] ^= 16; };
  const auto no_command = [](Record& record) { record.push_back(0xff); };
  const std::array<std::function<void(Record&)>, 2> ways = {other_hash, no_command};
  for (const auto& wrong : ways) {
    const auto damage = [&](const World& world, Record& record) {
      if (world.tick().value == 123) wrong(record);
    };
    const Heard heard = follow(built_in_scene("playground").value(), sound, 300, damage);
    ASSERT_EQ(heard.alarms, 1);
    EXPECT_EQ(heard.divergence.tick.value, 123u);
    EXPECT_FALSE(heard.divergence.state.any());
    EXPECT_NE(heard.divergence.why.find("the hash of the tick in the log is not"),
              std::string::npos);
  }
}

TEST(Shadow, WritesAFlightThatVerifyComesToTheSameWith) {
  const Heard heard = follow(built_in_scene("playground").value(), push_two_bodies);
  std::string name = (std::filesystem::temp_directory_path() / "orrery-flight-XXXXXX").string();
  ASSERT_TRUE(mkdtemp(name.data()));
  const std::string path = name + "/flight";
  const Scene scene = built_in_scene("playground").value();
  ASSERT_TRUE(host::write_flight(path, scene, "test", {}, heard.flight));
  const session::Verification found = test::verify_log(path, host::file_system());
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
    if (world.tick().value == 150) FaultInjector(world).state().hash ^= 1;
  };
  const Heard heard = follow(scene, at_the_end, 150);
  ASSERT_EQ(heard.alarms, 1);
  ASSERT_EQ(heard.flight.size(), 101u);  // a state and the hundred ticks after it
  EXPECT_EQ(heard.flight.front().tick.value, 50u);
  EXPECT_EQ(heard.flight.back().tick.value, 150u);
}

// The recorder has no room for the states of all ticks of this world.
TEST(Shadow, KeepsTheLastTenSecondsOfALargeWorld) {
  Scene scene = built_in_scene("free:20000").value();
  scene.tick_rate = 10;
  const auto at_the_end = [](World& world) {
    if (world.tick().value == 135) FaultInjector(world).state().hash ^= 1;
  };
  const Heard heard = follow(scene, at_the_end, 135);
  ASSERT_EQ(heard.alarms, 1);
  EXPECT_EQ(heard.flight.front().tick.value, 30u);
  EXPECT_EQ(heard.flight.back().tick.value, 135u);
  std::size_t image_bytes = 0;
  std::size_t states = 0;
  for (const session::FlightTick& tick : heard.flight) {
    states += tick.image.empty() ? 0 : 1;
    image_bytes = std::max(image_bytes, tick.image.size());
  }
  EXPECT_GT(2 * heard.flight.size() * image_bytes, server::kFlightBytesMax)
      << "the world is too small";
  EXPECT_GE(states, 11u);
  EXPECT_LE(states * image_bytes, server::kFlightBytesMax);
  test::SimulatedDisk disk(1);
  ASSERT_TRUE(host::write_flight("FLIGHT", scene, "test", {}, heard.flight, disk));
  const session::Verification found = test::verify_log("FLIGHT", disk);
  EXPECT_EQ(found.first_divergent_tick, 135u);
  EXPECT_EQ(found.verified, 104u);
  EXPECT_TRUE(found.tail.closed && !found.tail.damaged) << found.tail.reason;
}

// Returns the join of a client and its commands that spawn bodies at one point. If the bodies have
// shapes, their contacts enlarge the image too.
std::vector<Command> spawn_into_each_other(std::uint32_t count) {
  constexpr ClientId kClient{1};
  std::vector<Command> commands = {{kServer, {1}, command::Join{kClient, Role::admin}}};
  for (std::uint32_t i = 1; i <= count; ++i) {
    commands.push_back({kClient, {i}, command::Spawn{0, {0, 3, 0}, {}}});
  }
  return commands;
}

// The session jumps to the state of `world`, which has made one long tick. It then reports this
// tick and 19 wrong ones, while the shadow is still busy with the long tick. The shadow raises the
// alarm at the second tick. Returns the ticks that the recorder holds then.
std::vector<session::FlightTick> fall_behind(const World& world, const Record& record,
                                             std::size_t bytes_max) {
  constexpr int kTicks = 20;
  std::vector<session::FlightTick> held;
  World session(world.scene());
  std::vector<std::uint8_t> image;
  save_image(world, image);
  {
    server::Shadow shadow(
        session, "test", [&](const session::Divergence&, const auto& flight) { held = flight; },
        bytes_max);
    EXPECT_TRUE(restore_image(session, image));
    FaultInjector injector(session);
    for (int i = 0; i < kTicks; ++i, ++injector.state().tick.value) shadow.observe(session, record);
  }
  return held;
}

TEST(Shadow, KeepsFewerImagesWhereTheyHaveGrown) {
  constexpr std::uint32_t kSpawned = 300;
  constexpr std::size_t kImages = 2;
  Scene scene = built_in_scene("crates:1").value();
  scene.spare_bodies = kSpawned;
  World world(scene);
  std::vector<std::uint8_t> image;
  save_image(world, image);
  const std::size_t first_bytes = image.size();
  SerialExecutor executor;
  Nowhere nowhere;
  session::SessionLog log(nowhere, session::make_log_header(world, "test", {}));
  step(world, spawn_into_each_other(kSpawned), executor);
  log.append_tick(world);
  save_image(world, image);
  ASSERT_GT(image.size(), 100 * first_bytes);
  const Record record(log.last_tick().begin(), log.last_tick().end());
  std::vector<session::FlightTick> held;
  // If this thread had to wait for a processor, the shadow did not fall behind. Then the test tries
  // again.
  for (int i = 0; held.size() < 12 && i < 5; ++i) {
    held = fall_behind(world, record, kImages * image.size());
  }
  ASSERT_GE(held.size(), 12u);
  std::size_t bytes = 0;
  for (const session::FlightTick& tick : held) bytes += tick.image.size();
  EXPECT_GE(bytes, image.size());
  EXPECT_LE(bytes, 2 * kImages * image.size());
}

// The world grows from 100 to 8,100 bodies in its first second. The recorder then keeps fewer
// images, but still ten seconds of ticks.
TEST(Shadow, KeepsFewerLastingImagesWhereTheyHaveGrown) {
  constexpr std::uint32_t kSpawned = 8'000;
  constexpr std::uint64_t kTicks = 700;
  constexpr std::size_t kImages = 2;
  Scene scene = built_in_scene("free:100").value();
  scene.spare_bodies = kSpawned;
  World world(scene);
  World large(scene);
  SerialExecutor executor;
  step(large, spawn_into_each_other(kSpawned), executor);
  std::vector<std::uint8_t> image;
  save_image(large, image);
  std::vector<session::FlightTick> held;
  {
    server::Shadow shadow(
        world, "test", [&](const session::Divergence&, const auto& flight) { held = flight; },
        kImages * image.size());
    Nowhere nowhere;
    session::SessionLog log(nowhere, session::make_log_header(world, "test", {}));
    for (std::uint64_t tick = 1; tick <= kTicks; ++tick) {
      step(world, tick == 30 ? spawn_into_each_other(kSpawned) : std::vector<Command>{}, executor);
      if (tick == kTicks) FaultInjector(world).state().hash ^= 1;
      log.append_tick(world);
      shadow.observe(world, log.last_tick());
    }
  }
  ASSERT_GE(held.size(), session::kFlightSeconds * scene.tick_rate);
  EXPECT_FALSE(held.front().image.empty());
  EXPECT_EQ(held.back().tick.value, kTicks);
  const auto has_image = [](const session::FlightTick& tick) { return !tick.image.empty(); };
  EXPECT_LE(std::count_if(held.begin(), held.end(), has_image), 8);
}

// With 0 ms left at the end, the shadow may leave ticks unchecked, and returns how many. With a
// minute, it checks them all.
TEST(Shadow, EndsEarlyAndCountsWhatItHasNotSeen) {
  for (const std::chrono::milliseconds limit : {0ms, 60'000ms}) {
    World world(built_in_scene("spheres:200").value());
    SerialExecutor executor;
    Nowhere nowhere;
    session::SessionLog log(nowhere, session::make_log_header(world, "test", {}));
    server::Shadow shadow(world, "test", [](const auto&, const auto&) { FAIL(); });
    for (int i = 0; i < 60; ++i) {
      step(world, {}, executor);
      log.append_tick(world);
      shadow.observe(world, log.last_tick());
    }
    const std::uint64_t unseen = shadow.end_within(limit);
    EXPECT_EQ(shadow.state().tick.value + unseen, 60u);
    EXPECT_TRUE(unseen == 0 || limit == 0ms);
  }
}

}  // namespace
}  // namespace orrery
