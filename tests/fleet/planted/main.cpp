// Checks that the fleet finds every planted bug.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fleet/runner.h"

namespace orrery::planted {

Bug bug = none;

}  // namespace orrery::planted

namespace orrery::fleet {
namespace {

// Number of seeds to try first. If they do not find the bug, another kSeeds are tried, up to
// kSeedsMax in all.
constexpr std::uint64_t kSeeds = 8;
constexpr std::uint64_t kSeedsMax = 40;
constexpr std::uint32_t kSeconds = 60;
constexpr std::size_t kJobs = 2;

// Returns true if the run of this seed has every kind of fault. Some bugs show only if several
// kinds come together, and others only if another kind is absent.
bool has_all_faults(std::uint64_t seed) { return seed % 2 != 0; }

struct Findings {
  int runs = 0;
  int found = 0;
  std::map<std::string, int> by;  // number of runs by violated invariant
  // the lowest seed that finds it, and the tick in that run; 0: none
  std::uint64_t seed = 0;
  std::uint64_t tick = 0;
};

// Runs the seeds with the current bug.
void run_seeds(std::uint64_t first, std::uint64_t last, Findings& findings) {
  std::vector<Child> children;
  for (std::uint64_t next = first; next <= last || !children.empty();) {
    if (next <= last && children.size() < kJobs) {
      children.push_back(start(next, kSeconds, has_all_faults(next)));
      ++next;
      continue;
    }
    const Outcome outcome = wait_for_one(children);
    ++findings.runs;
    if (!outcome.failed) continue;
    ++findings.found;
    ++findings.by[outcome.invariant];
    if (findings.seed != 0 && findings.seed < outcome.seed) continue;
    findings.seed = outcome.seed;
    findings.tick = outcome.tick;
  }
}

// Runs groups of kSeeds seeds with the current bug until a group finds it, and prints the result.
Findings report(const char* name) {
  Findings findings;
  for (std::uint64_t first = 1; findings.found == 0 && first <= kSeedsMax; first += kSeeds) {
    run_seeds(first, first + kSeeds - 1, findings);
  }
  std::string by;
  for (const auto& [invariant, times] : findings.by) by += (by.empty() ? ": " : ", ") + invariant;
  const std::string first = findings.seed == 0
                                ? ""
                                : ", first by seed " + std::to_string(findings.seed) + " at tick " +
                                      std::to_string(findings.tick);
  std::printf("%-28s found in %d of %d runs%s%s\n", name, findings.found, findings.runs,
              first.c_str(), by.c_str());
  std::fflush(stdout);
  return findings;
}

// Runs the bugs with these names; without names all bugs, and first the correct code, whose name is
// "none". Returns the exit code: 0 if every bug was found and the correct code has no violation.
int run_all(const std::vector<std::string_view>& names) {
  int bugs = 0;
  int bugs_found = 0;
  int false_alarms = 0;
  for (std::size_t i = 0; i < std::size(planted::kBugNames); ++i) {
    const char* const name = planted::kBugNames[i];
    if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end()) continue;
    planted::bug = static_cast<planted::Bug>(i);
    const Findings findings = report(name);
    if (planted::bug == planted::none) {
      false_alarms = findings.found;
      continue;
    }
    ++bugs;
    bugs_found += findings.found > 0 ? 1 : 0;
  }
  std::printf("%d of %d bugs found; %d false alarms\n", bugs_found, bugs, false_alarms);
  return bugs_found == bugs && false_alarms == 0 ? 0 : 1;
}

}  // namespace
}  // namespace orrery::fleet

int main(int argc, char** argv) {
  spdlog::set_level(spdlog::level::off);
  return orrery::fleet::run_all({argv + 1, argv + argc});
}
