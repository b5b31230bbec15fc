// Tests the error message for logs of other rules.
#include "common/session/versions.h"

#include <gtest/gtest.h>

namespace orrery {
namespace {

TEST(Versions, OlderRulesHaveACommitThatVerifiesThem) {
  const std::string here = "; this build has rules " + std::to_string(kRulesVersion);
  EXPECT_EQ(session::other_rules(3), "rules 3" + here + "; commit c8a8b511b824 verifies it");
  for (const session::RulesRow& row : session::kRulesTable) {
    if (row.rules == kRulesVersion) continue;
    EXPECT_EQ(session::other_rules(row.rules), "rules " + std::to_string(row.rules) + here +
                                                   "; commit " + std::string(row.commit) +
                                                   " verifies it");
  }
}

TEST(Versions, NewerRulesAskForANewerBuild) {
  for (const std::uint32_t rules : {kRulesVersion + 1, ~std::uint32_t{0}}) {
    EXPECT_EQ(session::other_rules(rules),
              "rules " + std::to_string(rules) + "; this build has rules " +
                  std::to_string(kRulesVersion) + "; a newer build verifies it");
  }
}

TEST(Versions, NoBuildHasRulesZero) {
  EXPECT_EQ(session::other_rules(0), "rules 0; this build has rules " +
                                         std::to_string(kRulesVersion) + "; no build has rules 0");
}

}  // namespace
}  // namespace orrery
