// Tests the reasons for which a client's connection ends.
#include "common/net/end_reason.h"

#include "common/net/denial.h"
#include "gtest/gtest.h"

namespace orrery {
namespace {

TEST(EndReasons, EachReasonHasADescription) {
  for (int i = 0; i <= static_cast<int>(net::EndReason::refused_superseded); ++i) {
    EXPECT_FALSE(net::describe(static_cast<net::EndReason>(i)).empty());
  }
  EXPECT_EQ(net::describe(net::reason_of(net::Refusal::gone)), "no longer knows this client");
}

}  // namespace
}  // namespace orrery
