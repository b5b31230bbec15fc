// Owns the version numbers that logs carry.
#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace orrery {

// Raised by every commit that changes the golden hash of a state of an existing scene: a log
// replays bit for bit in builds of its own rules.
inline constexpr std::uint32_t kRulesVersion = 6;

// The layout of session logs (schema/README.md).
inline constexpr std::uint32_t kLogFormatVersion = 4;

// The version of this repository that verifies logs of some rules: the last commit that has these
// rules, in twelve digits, and its tag. The rules of this build have no commit yet.
struct RulesRow {
  std::uint32_t rules;
  std::string_view tag;
  std::string_view commit;
};

// Whoever raises kRulesVersion adds a row here, and in the row before writes the commit that the
// change is made on. schema/README.md has the same table.
inline constexpr RulesRow kRulesTable[] = {
    {1, "rules-1", "07da856dba10"}, {2, "rules-2", "13bb539b432c"}, {3, "rules-3", "c8a8b511b824"},
    {4, "rules-4", "0338ffddd67e"}, {5, "rules-5", "cac496e0047b"}, {6, "rules-6", ""},
};

// True if there is a row for each version, in order, and only the last has no commit.
constexpr bool rules_table_is_sound() {
  for (std::uint32_t i = 0; i < std::size(kRulesTable); ++i) {
    const RulesRow& row = kRulesTable[i];
    const bool is_last = row.rules == kRulesVersion;
    if (row.rules != i + 1 || row.commit.size() != (is_last ? 0 : 12)) return false;
  }
  return std::size(kRulesTable) == kRulesVersion;
}
static_assert(rules_table_is_sound());

// Names the rules of a log and what verifies it, for every line that refuses one: "rules 3; this
// build has rules 5; commit c8a8b511b824 (rules-3) verifies it". REQUIRES: not the rules of this
// build.
std::string other_rules(std::uint32_t rules);

}  // namespace orrery
