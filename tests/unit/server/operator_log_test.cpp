// Tests the lines of the server's log: a flood of events gives few lines, and a slow disk is
// reported in time.
#include "server/operator/operator_log.h"

#include "common/world/fault_injector.h"
#include "common/world/scenes/scenes.h"
#include "gtest/gtest.h"
#include "tests/unit/server/captured_lines.h"

namespace orrery::server {
namespace {

TEST(LineLimit, LetsTenThroughInASecondAndCountsTheRest) {
  LineLimit limit;
  std::uint64_t left_out = 0;
  int written = 0;
  for (int i = 0; i < 100; ++i) written += limit.allow(net::kSecond, left_out);
  EXPECT_EQ(written, 10);
  EXPECT_EQ(left_out, 0u);
  EXPECT_TRUE(limit.allow(2 * net::kSecond, left_out));
  EXPECT_EQ(left_out, 90u);
  EXPECT_TRUE(limit.allow(2 * net::kSecond, left_out));
  EXPECT_EQ(left_out, 0u);
}

// The disk confirms nothing after tick 100.
TEST(OperatorLog, SaysWithinASecondThatTheSessionIsNotDurable) {
  test::CapturedLines lines;
  OperatorLog log_lines;
  World world(built_in_scene("tumble").value());
  session::LogState log;
  log.durable = Tick{100};
  std::string said;
  FaultInjector injector(world);
  std::uint64_t& tick = injector.state().tick.value;
  for (tick = 100; said.empty() && tick < 300; ++tick) {
    log_lines.durability(log, world, world.tick().value * net::kSecond / world.scene().tick_rate);
    said = lines.take();
  }
  EXPECT_EQ(said, "log not durable durable_tick=100 reason=\"the disk is slow\"\n");
  EXPECT_LE(world.tick().value, 100 + world.scene().tick_rate);
  log.durable = world.tick();
  log_lines.durability(log, world, world.tick().value * net::kSecond / world.scene().tick_rate);
  EXPECT_EQ(lines.take().find(
                "log durable again durable_tick=" + std::to_string(world.tick().value) + ' '),
            0u);
}

TEST(OperatorLog, SaysEachMinuteThatTheSessionIsStillNotDurable) {
  test::CapturedLines lines;
  OperatorLog log_lines;
  World world(built_in_scene("tumble").value());
  session::LogState log;
  log.durable = Tick{100};
  log.failing = true;
  log.failure = "the disk is full";
  int said = 0;
  for (net::Nanoseconds now = net::kSecond; now < 300 * net::kSecond; now += net::kSecond / 2) {
    FaultInjector(world).state().tick.value += 30;
    log_lines.durability(log, world, now);
    said += lines.take() == "log not durable durable_tick=100 reason=\"the disk is full\"\n";
  }
  EXPECT_EQ(said, 5);  // at once, and after each of four minutes
  log.durable = world.tick();
  log.failing = false;
  log_lines.durability(log, world, 300 * net::kSecond);
  EXPECT_EQ(lines.take().find("log durable again"), 0u);
  log_lines.durability(log, world, 400 * net::kSecond);
  EXPECT_EQ(lines.take(), "");
}

}  // namespace
}  // namespace orrery::server
