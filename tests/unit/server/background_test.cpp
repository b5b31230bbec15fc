// Tests the warning about disk space: one line when space gets short, one when it recovers.
#include "server/background.h"

#include <gtest/gtest.h>

#include "tests/unit/server/captured_lines.h"

namespace orrery {
namespace {

constexpr std::uint64_t kMegabyte = 1'000'000;
constexpr std::uint64_t kGigabyte = 1000 * kMegabyte;

TEST(DiskRoom, SaysOnceThatItIsShortAndOnceThatItIsWellAgain) {
  test::CapturedLines lines;
  server::DiskRoom room;
  room.observe("/srv/logs", 50 * kGigabyte, 100 * kGigabyte);
  EXPECT_EQ(lines.take(), "");
  room.observe("/srv/logs", 5 * kGigabyte - 1, 100 * kGigabyte);
  EXPECT_EQ(lines.take(), "disk low free_mb=4999 free_percent=5 folder=/srv/logs\n");
  room.observe("/srv/logs", kGigabyte, 100 * kGigabyte);
  EXPECT_EQ(lines.take(), "");
  room.observe("/srv/logs", 5 * kGigabyte, 100 * kGigabyte);
  EXPECT_EQ(lines.take(), "disk recovered free_mb=5000 free_percent=5 folder=/srv/logs\n");
  room.observe("/srv/logs", 5 * kGigabyte, 100 * kGigabyte);
  EXPECT_EQ(lines.take(), "");
}

TEST(DiskRoom, IsShortOnASmallDiskBelow256Megabytes) {
  test::CapturedLines lines;
  server::DiskRoom room;
  room.observe("logs\n", 256 * kMegabyte, kGigabyte);
  EXPECT_EQ(lines.take(), "");
  room.observe("logs\n", 256 * kMegabyte - 1, kGigabyte);
  EXPECT_EQ(lines.take(), "disk low free_mb=255 free_percent=25.6 folder=\"logs\\x0a\"\n");
}

}  // namespace
}  // namespace orrery
