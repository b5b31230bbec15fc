// The table of rules: the commit that verifies logs of each rules version.
#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "common/core/versions.h"

namespace orrery::session {

// A version of the rules, and the first twelve digits of the last commit that has it. That commit
// can verify logs of these rules. The newest rules have no such commit yet.
struct RulesRow {
  std::uint32_t rules;
  std::string_view commit;
};

// All rules so far. To increment kRulesVersion, add a row, and write the parent commit of the
// change into the row before it. schema/log.md 10 has the same table.
inline constexpr RulesRow kRulesTable[] = {
    {1, "07da856dba10"},  {2, "13bb539b432c"},  {3, "c8a8b511b824"},  {4, "0338ffddd67e"},
    {5, "cac496e0047b"},  {6, "e94ce7f9da18"},  {7, "16964dcb26bd"},  {8, "43aca143c358"},
    {9, "f47c201d4e76"},  {10, "4716d7f3c37a"}, {11, "0a9b2ee24d75"}, {12, "ed47048e8bfd"},
    {13, "8eeb987785fe"}, {14, "68f3d31d2870"}, {15, "bad957fb370f"}, {16, "dfe72b23b070"},
    {17, "4fe748413970"}, {18, "8672bc2eebe5"}, {19, "5c7f2015aa80"}, {20, ""},
};

// Returns true if there is a row for each version, in order, and only the last has no commit.
constexpr bool rules_table_is_sound() {
  for (std::uint32_t i = 0; i < std::size(kRulesTable); ++i) {
    const RulesRow& row = kRulesTable[i];
    const bool is_last = row.rules == kRulesVersion;
    if (row.rules != i + 1 || row.commit.size() != (is_last ? 0 : 12)) return false;
  }
  return std::size(kRulesTable) == kRulesVersion;
}
static_assert(rules_table_is_sound());

// Returns a text for error messages. It names the rules of a log and, if known, the commit that can
// verify it: "rules 3; this build has rules 7; commit c8a8b511b824 verifies it".
// REQUIRES: rules != kRulesVersion.
std::string other_rules(std::uint32_t rules);

}  // namespace orrery::session
