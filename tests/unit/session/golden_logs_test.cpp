// Owns the test of the logs that are kept, one for each number of rules that there ever was: every
// build reads all of them, and verifies that of its own rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "common/host/file.h"
#include "common/session/log_reader.h"
#include "common/session/replay.h"
#include "common/session/versions.h"

namespace orrery {
namespace {

constexpr std::uint64_t kTicks = 120;  // as `tests/determinism/matrix --golden` writes them

std::filesystem::path log_of_rules(std::uint32_t rules) {
  const std::string name = "rules-" + std::to_string(rules) + ".orrery";
  return std::filesystem::path(ORRERY_SOURCE_DIR) / "tests" / "golden" / "logs" / name;
}

TEST(GoldenLogs, ThereIsOneForEveryRules) {
  for (std::uint32_t rules = 1; rules <= kRulesVersion; ++rules) {
    EXPECT_TRUE(std::filesystem::exists(log_of_rules(rules)))
        << log_of_rules(rules) << " is missing: tests/determinism/matrix --golden writes that of "
        << "new rules; those of older rules stay";
  }
}

TEST(GoldenLogs, AllAreReadForEver) {
  for (std::uint32_t rules = 1; rules <= kRulesVersion; ++rules) {
    SCOPED_TRACE(log_of_rules(rules));
    const auto file = FileSource::open(log_of_rules(rules));
    ASSERT_TRUE(file);
    LogReader log(*file.value());
    const Result<LogHeader> header = log.read_header();
    ASSERT_TRUE(header) << header.error().message;
    EXPECT_EQ(header.value().rules, rules);
    const Result<Scene> scene = recorded_scene(header.value());
    ASSERT_TRUE(scene) << scene.error().message;
    EXPECT_EQ(scene.value().name, "playground");
    // A number in rules 1, a name since.
    EXPECT_EQ(scene.value().integrator, Integrator::semi_implicit_euler);
    std::uint64_t ticks = 0;
    std::size_t commands = 0;
    for (TickRecord record; log.next(record); ++ticks) commands += record.commands.size();
    EXPECT_EQ(ticks, kTicks);
    EXPECT_GT(commands, kTicks);
    EXPECT_TRUE(log.tail().closed && !log.tail().damaged);
    EXPECT_EQ(log.tail().lost_bytes, 0u);
  }
}

TEST(GoldenLogs, ThatOfTheseRulesVerifies) {
  const auto file = FileSource::open(log_of_rules(kRulesVersion));
  ASSERT_TRUE(file);
  LogReader log(*file.value());
  const LogHeader header = log.read_header().value();
  Result<World> world = initial_world(header);
  ASSERT_TRUE(world) << world.error().message;
  SerialExecutor executor;
  const Verification found = verify(log, header, world.value(), executor, [] {});
  EXPECT_TRUE(found.sound()) << "diverges at tick " << found.first_divergent_tick.value_or(0)
                             << ": what sessions come to has changed, so kRulesVersion must rise";
  EXPECT_EQ(found.verified, kTicks);
}

TEST(GoldenLogs, ThoseOfOtherRulesAreRefusedWithBothNumbers) {
  for (std::uint32_t rules = 1; rules < kRulesVersion; ++rules) {
    const auto file = FileSource::open(log_of_rules(rules));
    ASSERT_TRUE(file);
    LogReader log(*file.value());
    const Result<World> world = initial_world(log.read_header().value());
    ASSERT_FALSE(world);
    EXPECT_EQ(world.error().message, "was recorded under rules " + std::to_string(rules) +
                                         "; this build has rules " + std::to_string(kRulesVersion));
  }
}

}  // namespace
}  // namespace orrery
