// Owns the test that a flood of events is not a flood of lines.
#include "server/journal.h"

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

}  // namespace
}  // namespace orrery
