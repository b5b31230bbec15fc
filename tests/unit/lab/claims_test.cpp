// Tests the claims by their ids: each measured value stays within its bound.
#include "client/lab/claims/claims.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace orrery::lab {
namespace {

// Claims that take about a tenth of a second or more.
const std::set<std::string_view> kSlow = {"S0-04", "S0-14", "S0-16", "S2-10",
                                          "S2-13", "S4-06", "S4-18"};

std::vector<Claim> claims_that(bool slow) {
  std::vector<Claim> chosen;
  for (const Claim& claim : claims()) {
    if ((kSlow.count(claim.id) != 0) == slow) chosen.push_back(claim);
  }
  return chosen;
}

class ClaimTest : public testing::TestWithParam<Claim> {};

void expect_within(const Claim& claim) {
  Notebook note(false);
  if (claim.measure == nullptr) {
    EXPECT_FALSE(claim.reason.empty()) << claim.id << ": neither measured nor explained";
    return;
  }
  claim.measure(note);
  EXPECT_FALSE(note.measurements().empty());
  for (const Measurement& measurement : note.measurements()) {
    EXPECT_TRUE(measurement.within())
        << claim.id << " " << measurement.what << ": " << measurement.value << " not in "
        << measurement.low << " to " << measurement.high;
  }
}

TEST_P(ClaimTest, Within) { expect_within(GetParam()); }

std::string name_of(const testing::TestParamInfo<Claim>& info) {
  std::string name(info.param.id);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Quick, ClaimTest, testing::ValuesIn(claims_that(false)), name_of);
INSTANTIATE_TEST_SUITE_P(Slow, ClaimTest, testing::ValuesIn(claims_that(true)), name_of);

// There are 109 claims in five documents. Each one is in the list once.
TEST(Claims, AreAllThere) {
  constexpr int kCounts[] = {25, 18, 18, 25, 23};
  std::set<std::string> ids;
  for (const Claim& claim : claims()) ids.insert(std::string(claim.id));
  EXPECT_EQ(ids.size(), claims().size());
  for (int document = 0; document < 5; ++document) {
    for (int number = 1; number <= kCounts[document]; ++number) {
      const std::string two = (number < 10 ? "0" : "") + std::to_string(number);
      EXPECT_EQ(ids.count("S" + std::to_string(document) + "-" + two), 1u)
          << document << " " << two;
    }
  }
  EXPECT_EQ(ids.size(), 109u);
}

TEST(Claims, HaveAReasonIfTheyDoNotSimplyHold) {
  for (const Claim& claim : claims()) {
    EXPECT_FALSE(claim.sentence.empty()) << claim.id;
    if (claim.verdict != Verdict::holds) {
      EXPECT_FALSE(claim.reason.empty()) << claim.id;
    }
  }
}

// A bound fails for a value outside it and for NaN.
TEST(Claims, BoundsCanFail) {
  Notebook note(false);
  note.near("inside", 1, 1, 0);
  EXPECT_TRUE(note.within());
  note.at_most("above", 2, 1);
  EXPECT_FALSE(note.within());
  Notebook second(false);
  second.at_least("not a number", NAN, 0);
  EXPECT_FALSE(second.within());
}

}  // namespace
}  // namespace orrery::lab
