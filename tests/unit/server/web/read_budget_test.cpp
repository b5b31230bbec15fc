// Tests the limit on bytes that connections may send.
#include "server/web/read_budget.h"

#include <gtest/gtest.h>

namespace orrery::server::web {
namespace {

constexpr net::Nanoseconds kStart = 1000 * net::kSecond;
constexpr net::Nanoseconds kWindow = ReadBudget::kWindow;

TEST(ReadBudget, IsFullAgainInTheNextWindow) {
  ReadBudget budget(100);
  EXPECT_EQ(budget.room(kStart), 100u);
  budget.spend(60);
  EXPECT_EQ(budget.room(kStart + kWindow - 1), 40u);
  budget.spend(40);
  EXPECT_EQ(budget.room(kStart + kWindow - 1), 0u);
  EXPECT_EQ(budget.room(kStart + kWindow), 100u);
  EXPECT_EQ(budget.room(kStart + 100 * kWindow), 100u);  // unused windows do not add up
}

// A read of tiny frames costs more than its bytes, so it may cost more than a window has.
TEST(ReadBudget, LaterWindowsPayForWhatWasSpentTooMuch) {
  ReadBudget budget(100);
  EXPECT_EQ(budget.room(kStart), 100u);
  budget.spend(350);
  EXPECT_EQ(budget.room(kStart), 0u);
  EXPECT_EQ(budget.room(kStart + kWindow), 0u);
  EXPECT_EQ(budget.room(kStart + 2 * kWindow), 0u);
  EXPECT_EQ(budget.room(kStart + 3 * kWindow), 50u);
  EXPECT_EQ(budget.room(kStart + 4 * kWindow), 100u);
}

}  // namespace
}  // namespace orrery::server::web
