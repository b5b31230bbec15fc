// Owns the tests of the server's lines: a flood of events is not a flood of them, and a slow disk
// is told in time.
#include "server/journal.h"

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <sstream>

#include "common/world/scenes.h"
#include "gtest/gtest.h"

namespace orrery {
namespace {

TEST(LineLimit, LetsTenThroughInASecondAndCountsTheRest) {
  LineLimit limit;
  std::uint64_t left_out = 0;
  int written = 0;
  for (int i = 0; i < 100; ++i) written += limit.allow(kSecond, left_out);
  EXPECT_EQ(written, 10);
  EXPECT_EQ(left_out, 0u);
  EXPECT_TRUE(limit.allow(2 * kSecond, left_out));
  EXPECT_EQ(left_out, 90u);
  EXPECT_TRUE(limit.allow(2 * kSecond, left_out));
  EXPECT_EQ(left_out, 0u);
}

// What is logged while it lives.
class Lines {
 public:
  Lines() {
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(text_);
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("lines", std::move(sink)));
    spdlog::set_pattern("%v");
  }
  ~Lines() { spdlog::set_default_logger(before_); }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  std::string take() {
    std::string text = text_.str();
    text_.str({});
    return text;
  }

 private:
  std::shared_ptr<spdlog::logger> before_ = spdlog::default_logger();
  std::ostringstream text_;
};

// The disk answers nothing behind tick 100.
TEST(Journal, SaysWithinASecondThatTheSessionIsNotDurable) {
  Lines lines;
  Journal journal;
  World world(built_in_scene("tumble").value());
  LogState log;
  log.durable = Tick{100};
  std::string said;
  for (world.tick.value = 100; said.empty() && world.tick.value < 300; ++world.tick.value) {
    journal.durability(log, world, world.tick.value * kSecond / world.scene.tick_rate);
    said = lines.take();
  }
  EXPECT_EQ(said, "NOT DURABLE behind tick 100: the disk is slow\n");
  EXPECT_LE(world.tick.value, 100 + world.scene.tick_rate);
  log.durable = world.tick;
  journal.durability(log, world, world.tick.value * kSecond / world.scene.tick_rate);
  EXPECT_EQ(lines.take().find("durable again, to tick " + std::to_string(world.tick.value)), 0u);
}

}  // namespace
}  // namespace orrery
