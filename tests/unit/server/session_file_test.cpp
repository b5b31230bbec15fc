// Tests the log that --session selects: new, continued, or none.
#include "server/session_file.h"

#include <gtest/gtest.h>

#include "common/host/disk/log_file.h"
#include "common/session/writer/log_writer.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/simulated_disk.h"

namespace orrery {
namespace {

// Records a session of some ticks, with or without closing it.
void record(test::SimulatedDisk& disk, const std::string& path, int ticks, bool closed,
            std::uint32_t rules = 0) {
  auto file = std::move(host::LogFile::open(path, host::OnFailure::go_on, disk).value());
  World world(built_in_scene("free:6").value());
  SerialExecutor executor;
  codec::LogHeader header = session::make_log_header(world, "test", codec::SessionId{1});
  if (rules != 0) header.rules = rules;
  session::SessionLog log(*file, header);
  for (int i = 0; i < ticks; ++i) {
    step(world, {}, executor);
    log.append_tick(world);
  }
  if (closed) log.close();
}

Result<server::SessionFile> find(test::SimulatedDisk& disk) {
  SerialExecutor executor;
  return server::find_session("LOG", executor, disk);
}

void expect_begins(test::SimulatedDisk& disk, const std::string& path) {
  const auto found = find(disk);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found.value().path, path);
  EXPECT_FALSE(found.value().log);
}

void expect_continues(test::SimulatedDisk& disk, const std::string& path, std::uint64_t tick) {
  const auto found = find(disk);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found.value().path, path);
  ASSERT_TRUE(found.value().log);
  EXPECT_EQ(found.value().log->recovered.world.tick().value, tick);
}

TEST(SessionFile, BeginsWhereNothingIs) {
  test::SimulatedDisk disk(1);
  expect_begins(disk, "LOG");
  // empty, as an older build leaves it if it is killed at its start
  disk.close(disk.create("LOG", true));
  expect_begins(disk, "LOG");
}

TEST(SessionFile, ContinuesOrCountsOn) {
  test::SimulatedDisk disk(1);
  record(disk, "LOG", 5, false);
  expect_continues(disk, "LOG", 5);
  disk.remove("LOG");
  record(disk, "LOG", 5, true);
  expect_begins(disk, "LOG-2");
  record(disk, "LOG-2", 3, true);
  expect_begins(disk, "LOG-3");
  disk.close(disk.create("LOG-3", true));
  expect_begins(disk, "LOG-3");
  record(disk, "LOG-3", 7, false);
  expect_continues(disk, "LOG-3", 7);
}

// Logs of earlier sessions may have been moved away.
TEST(SessionFile, TheLastCountsThoughEarlierOnesAreGone) {
  test::SimulatedDisk disk(1);
  record(disk, "LOG-7", 5, false);
  expect_continues(disk, "LOG-7", 5);
  record(disk, "LOG-8", 5, true);
  expect_begins(disk, "LOG-9");
}

TEST(SessionFile, APathThatCannotBeLookedAtIsAnError) {
  SerialExecutor executor;
  const std::string name(300, 'x');  // longer than a file name may be
  const auto found = server::find_session(name, executor, host::file_system());
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().text().find(name.substr(0, 50)), 0u) << found.error().text();
}

// After an update of the server, older logs may have other rules.
TEST(SessionFile, ALogThatWasClosedMayBeOfOtherRules) {
  test::SimulatedDisk disk(1);
  record(disk, "LOG", 5, true, 1);
  expect_begins(disk, "LOG-2");
  EXPECT_NE(server::why_taken("LOG", disk).find("was closed"), std::string::npos);
  record(disk, "LOG-2", 5, false, 1);
  EXPECT_NE(server::why_taken("LOG-2", disk).find("was recorded under rules 1"), std::string::npos);
  EXPECT_NE(find(disk).error().text().find("; to begin another session, move this log"),
            std::string::npos);
  EXPECT_NE(find(disk).error().text().find("LOG-2: was recorded under rules 1"), std::string::npos)
      << find(disk).error().text();
}

// If the newest session cannot be continued, the server begins no other session.
TEST(SessionFile, RefusesWhatCannotBeContinued) {
  test::SimulatedDisk disk(1);
  record(disk, "LOG", 5, false);
  {
    const host::LogLock lock(disk, "LOG");
    EXPECT_EQ(find(disk).error().text(),
              "LOG: is being written by a running server; stop it first");
  }
  disk.truncate("LOG", 100);
  EXPECT_EQ(find(disk).error().text().find("LOG: "), 0u) << find(disk).error().text();
  disk.write(disk.create("LOG", false), test::SimulatedDisk::Content{'m', 'i', 'n', 'e'});
  EXPECT_NE(find(disk).error().text().find("is not a session log"), std::string::npos);
}

TEST(SessionFile, SaysWhyANameIsTaken) {
  test::SimulatedDisk disk(1);
  disk.write(disk.create("LOG", true), test::SimulatedDisk::Content{'m', 'i', 'n', 'e'});
  EXPECT_EQ(server::why_taken("LOG", disk), "");
  disk.remove("LOG");
  record(disk, "LOG", 5, false);
  EXPECT_EQ(server::why_taken("LOG", disk),
            "LOG: exists already, and its session was not closed; continue it with --resume LOG or "
            "--session LOG");
  record(disk, "LOG-2", 5, false);
  EXPECT_EQ(server::why_taken("LOG", disk),
            "LOG: exists already, and its session was not closed; continue it with --resume LOG");
  disk.remove("LOG");
  record(disk, "LOG", 5, true);
  EXPECT_EQ(server::why_taken("LOG", disk),
            "LOG: exists already, and its session was closed; --session LOG serves the next one, "
            "LOG-2 and so on");
  const host::LogLock lock(disk, "LOG");
  EXPECT_EQ(server::why_taken("LOG", disk), "LOG: is being written by a running program");
}

}  // namespace
}  // namespace orrery
