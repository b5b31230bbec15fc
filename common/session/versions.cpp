// Describes logs of other rules in error messages.
#include "common/session/versions.h"

#include "common/core/assert.h"

namespace orrery::session {
namespace {

std::string what_verifies(std::uint32_t rules) {
  if (rules > kRulesVersion) return "a newer build verifies it";
  if (rules == 0) return "no build has rules 0";
  const RulesRow& row = kRulesTable[rules - 1];
  return "commit " + std::string(row.commit) + " verifies it";
}

}  // namespace

std::string other_rules(std::uint32_t rules) {
  ORRERY_ASSERT(rules != kRulesVersion);
  return "rules " + std::to_string(rules) + "; this build has rules " +
         std::to_string(kRulesVersion) + "; " + what_verifies(rules);
}

}  // namespace orrery::session
