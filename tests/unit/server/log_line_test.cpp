// Tests the form of log lines, and that server/OPERATING.md describes every event.
#include "server/operator/log_line.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <set>
#include <sstream>

#include "server/operator/operator_log.h"
#include "tests/support/source_path.h"
#include "tests/unit/server/captured_lines.h"

namespace orrery::server {
namespace {

class LogLine : public testing::Test {
 protected:
  void TearDown() override { configure_log(LogLevel::info, LogFormat::text); }

  test::CapturedLines lines_;
};

TEST_F(LogLine, QuotesAndEscapesTextThatIsNotOneWord) {
  log_event(LogEvent::disk_low, {{"plain", "/srv/a:1,b"},
                                 {"blank", "No space"},
                                 {"empty", ""},
                                 {"equals", "a=b"},
                                 {"quote", "a\"b"},
                                 {"backslash", "a\\b"},
                                 {"control", "a\n\x1b\xc3"}});
  EXPECT_EQ(lines_.take(),
            "disk low plain=/srv/a:1,b blank=\"No space\" empty=\"\" equals=\"a=b\" "
            "quote=\"a\\\"b\" backslash=\"a\\\\b\" control=\"a\\x0a\\x1b\\xc3\"\n");
}

TEST_F(LogLine, WritesNumbersPlain) {
  log_event(LogEvent::disk_low, {{"most", std::numeric_limits<std::uint64_t>::max()},
                                 {"yes", true},
                                 {"share", 0.25},
                                 {"none", std::numeric_limits<double>::quiet_NaN()}});
  EXPECT_EQ(lines_.take(), "disk low most=18446744073709551615 yes=true share=0.25 none=nan\n");
}

TEST_F(LogLine, IsMembersOfAnObjectAsJson) {
  configure_log(LogLevel::info, LogFormat::json);
  log_event(LogEvent::disk_low, {{"free_mb", 3u},
                                 {"folder", "a \"b\\\n"},
                                 {"none", std::numeric_limits<double>::infinity()}});
  EXPECT_EQ(lines_.take(),
            "\"event\": \"disk low\", \"free_mb\": 3, \"folder\": \"a \\\"b\\\\\\u000a\", "
            "\"none\": \"inf\"\n");
}

TEST_F(LogLine, ShortensLongText) {
  log_event(LogEvent::disk_low, {{"folder", std::string(5000, 'a')}});
  EXPECT_EQ(lines_.take(), "disk low folder=" + std::string(1000, 'a') + "...\n");
}

TEST_F(LogLine, IsWrittenFromItsLevelOn) {
  const auto write_all = [] {
    log_event(LogEvent::status_written, {});
    log_event(LogEvent::disk_recovered, {});
    log_event(LogEvent::disk_low, {});
    log_event(LogEvent::client_diverged, {});
  };
  const std::string all = "status file written\ndisk recovered\ndisk low\nclient diverged\n";
  std::size_t start = 0;
  for (const LogLevel level : {LogLevel::debug, LogLevel::info, LogLevel::warn, LogLevel::error}) {
    configure_log(level, LogFormat::text);
    write_all();
    EXPECT_EQ(lines_.take(), all.substr(start));
    start = all.find('\n', start) + 1;
  }
}

TEST_F(LogLine, SaysHowManyOfItsEventWereSuppressed) {
  OperatorLog log;
  for (int i = 0; i < 13; ++i) {
    log.client_joined(ClientId{7}, Role::play, "127.0.0.1:5000", net::kSecond);
  }
  log.client_left(ClientId{7}, EndReason::timed_out, net::kSecond);
  log.client_joined(ClientId{7}, Role::play, "127.0.0.1:5000", 2 * net::kSecond);
  const std::string joined = "client joined id=7 role=play address=127.0.0.1:5000";
  std::string expected;
  for (int i = 0; i < 10; ++i) expected += joined + '\n';
  expected += "client left id=7 reason=timed_out\n" + joined + " suppressed=3\n";
  EXPECT_EQ(lines_.take(), expected);
}

TEST(LogEvents, AreDescribedInTheRunbook) {
  constexpr const char* kLevels[] = {"debug", "info", "warn", "error"};
  std::ifstream in(test::source_path("server/OPERATING.md"));
  std::ostringstream page;
  page << in.rdbuf();
  std::set<std::string_view> names;
  for (const LogEventInfo& event : kLogEvents) {
    const std::string row = "| `" + std::string(event.name) + "` | " +
                            kLevels[static_cast<std::size_t>(event.level)] + " | ";
    EXPECT_NE(page.str().find('\n' + row), std::string::npos) << row;
    EXPECT_TRUE(names.insert(event.name).second) << event.name << " is there twice";
    EXPECT_TRUE(event.meaning.ends_with('.')) << event.name;
  }
  // A row of the page for an event that no longer exists is a mistake too.
  std::size_t rows = 0;
  std::istringstream text(page.str());
  for (std::string line; std::getline(text, line);) {
    for (const char* const level : kLevels) {
      rows +=
          line.starts_with("| `") && line.find(std::string("` | ") + level + " | ") != line.npos;
    }
  }
  EXPECT_EQ(rows, kLogEvents.size());
}

}  // namespace
}  // namespace orrery::server
