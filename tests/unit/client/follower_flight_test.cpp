// Tests the flight of a follower that differs from its server: the named difference, the saved log.
#include <gtest/gtest.h>

#include <functional>

#include "client/lib/follower.h"
#include "common/host/disk/flight_file.h"
#include "common/session/replay/replay.h"
#include "common/session/writer/log_writer.h"
#include "common/world/fault_injector.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/command_stream.h"
#include "tests/support/disk_log.h"
#include "tests/support/simulated_disk.h"

namespace orrery {
namespace {

constexpr std::uint64_t kTick = 723;  // of the fault
constexpr std::uint32_t kSlot = 8;    // of the body that changes
constexpr const char* kScene = "playground";

struct Discarded final : session::RecordSink {
  bool begin(const codec::LogHeader&, const session::LogRecord*) override { return true; }
  bool append(const session::LogRecord&) override { return true; }
};

// Follows a session with random commands, until some ticks after tick kTick. `change` changes the
// server's world in that tick, `fault` the follower's. Returns the flight of the follower.
std::shared_ptr<const session::Flight> follow(const std::function<void(World&)>& change,
                                              const std::optional<session::Fault>& fault = {}) {
  World world(built_in_scene(kScene).value());
  CommandStream commands(11);
  SerialExecutor executor;
  Discarded discarded;
  const codec::LogHeader header = session::make_log_header(world, "server", {});
  session::SessionLog log(discarded, header);
  client::Follower follower(fault);
  follower.take(session::follow_header(header, world.scene()));
  follower.take(session::follow_image(world));
  std::vector<std::uint8_t> message;
  while (world.tick().value < kTick + 5) {
    step(world, commands.next(world), executor);
    if (world.tick().value == kTick) change(world);
    log.append_tick(world);
    session::follow_tick(log.last_tick(), message);
    follower.take(message);
  }
  EXPECT_FALSE(follower.error());
  EXPECT_EQ(follower.ticks_checked(), follower.mismatch() ? kTick : world.tick().value);
  return follower.flight();
}

// Raises the heights of bodies by 2^-40.
void raise(World& world, const std::vector<std::uint32_t>& slots) {
  SerialExecutor executor;
  for (const std::uint32_t slot : slots) {
    const double height = world.bodies().position(slot).y + 0x1p-40;
    FaultInjector(world).state().bodies.set(physics::BodyField::position_y, slot, height);
  }
  FaultInjector(world).update_hash(executor);
}

// Saves the flight and replays it.
session::Verification saved(const session::Flight& flight, const session::Divergence& found) {
  test::SimulatedDisk disk(1);
  const Scene scene = built_in_scene(kScene).value();
  EXPECT_TRUE(host::write_flight("F", scene, "test", flight.header.session,
                                 session::ticks_to_save(flight, found), disk));
  return test::verify_log("F", disk);
}

TEST(FollowerFlight, NamesABitThatFlippedInTheFollower) {
  session::Fault fault{.tick = Tick{kTick}};
  fault.field = physics::BodyField::velocity_x;
  follow([&](World& world) { fault.a = body_id(world, kSlot); });
  const auto flight = follow([](World&) {}, fault);
  ASSERT_TRUE(flight);
  SerialExecutor executor;
  const session::Divergence found = session::explain(*flight, "server", executor);
  EXPECT_TRUE(session::is_own_fault(found));
  EXPECT_EQ(found.tick.value, kTick);
  EXPECT_EQ(found.cause, session::Cause::number);
  EXPECT_EQ(found.source_b, session::Source::checkpoint);
  ASSERT_TRUE(found.field);
  EXPECT_EQ(found.field->body, fault.a);
  EXPECT_EQ(found.field->field, physics::BodyField::velocity_x);
  EXPECT_GT(found.field->b, found.field->a);
  const session::Verification replayed = saved(*flight, found);
  EXPECT_EQ(replayed.first_divergent_tick, kTick);
  EXPECT_GE(replayed.verified, 600u) << "ten seconds before the fault";
  EXPECT_TRUE(replayed.tail.closed && !replayed.tail.damaged) << replayed.tail.reason;
}

TEST(FollowerFlight, NamesANumberThatChangedInTheServer) {
  const auto flight = follow([](World& world) { raise(world, {kSlot}); });
  ASSERT_TRUE(flight);
  SerialExecutor executor;
  const session::Divergence found = session::explain(*flight, "server", executor);
  EXPECT_FALSE(session::is_own_fault(found));
  EXPECT_EQ(found.source_a, session::Source::hash);
  ASSERT_TRUE(found.field);
  EXPECT_EQ(slot_of(found.field->body), kSlot);
  EXPECT_EQ(found.field->field, physics::BodyField::position_y);
  EXPECT_EQ(found.field->a - found.field->b, 0x1p-40);
  EXPECT_EQ(saved(*flight, found).first_divergent_tick, kTick);
}

TEST(FollowerFlight, NamesNoBodyIfSeveralNumbersChangedInTheServer) {
  const auto flight = follow([](World& world) { raise(world, {kSlot, 13}); });
  ASSERT_TRUE(flight);
  SerialExecutor executor;
  const session::Divergence found = session::explain(*flight, "server", executor);
  EXPECT_FALSE(session::is_own_fault(found));
  EXPECT_FALSE(found.field);
  EXPECT_EQ(saved(*flight, found).first_divergent_tick, kTick);
}

}  // namespace
}  // namespace orrery
