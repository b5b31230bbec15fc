// Tests the sentences about the end of a log.
#include "common/session/log_tail.h"

#include <gtest/gtest.h>

namespace orrery {
namespace {

using session::LogTail;

LogTail closed() {
  LogTail tail;
  tail.tick = Tick{7};
  tail.closed = true;
  return tail;
}

LogTail torn() {
  LogTail tail = closed();
  tail.closed = false;
  tail.lost_bytes = 3;
  return tail;
}

TEST(LogTail, ACompleteLogNeedsNoWords) { EXPECT_EQ(session::describe(closed()), ""); }

TEST(LogTail, NamesTheTickBeforeATornEnd) {
  EXPECT_EQ(session::describe(torn()),
            "torn after tick 7: the session was not closed; 3 bytes ignored");
}

TEST(LogTail, SaysThatAProgramIsWritingTheLog) {
  EXPECT_EQ(session::describe(torn(), true),
            session::describe(torn()) + "; a running program is writing it");
}

TEST(LogTail, SaysWhyALogIsDamaged) {
  LogTail tail = torn();
  tail.damaged = true;
  EXPECT_EQ(session::describe(tail),
            "damaged after tick 7: 3 bytes ignored, including valid records");
  tail.reason = "segment 2 is \x1b missing";
  EXPECT_EQ(session::describe(tail),
            "damaged after tick 7: segment 2 is \\x1b missing; 3 bytes ignored");
}

TEST(LogTail, ListsLostTicksBeforeTheEnd) {
  LogTail tail = closed();
  tail.lost_ticks = 1;
  tail.abandoned_bytes = 9;
  EXPECT_EQ(session::describe(tail),
            "1 tick is missing; 9 bytes ignored where the disk failed: the next segment starts "
            "before them");
  tail.lost_ticks = 2;
  tail.abandoned_bytes = 0;
  EXPECT_EQ(session::describe(tail), "2 ticks are missing");
}

TEST(LogTail, AReadErrorHidesTheRest) {
  LogTail tail = torn();
  tail.unreadable = Error{"LOG: no such device"};
  tail.lost_ticks = 5;
  EXPECT_EQ(session::describe(tail), "unreadable after tick 7: LOG: no such device");
}

}  // namespace
}  // namespace orrery
