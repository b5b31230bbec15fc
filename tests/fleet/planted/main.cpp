// Checks that the fleet finds every planted bug.
#include <spdlog/spdlog.h>

#include <cstdio>
#include <iterator>
#include <map>
#include <string>

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

struct Findings {
  int runs = 0;
  int found = 0;
  std::map<std::string, int> by;  // number of runs by violated invariant
};

// Runs the seeds with the current bug.
void run_seeds(std::uint64_t first, std::uint64_t last, Findings& findings) {
  std::vector<Child> children;
  for (std::uint64_t next = first; next <= last || !children.empty();) {
    if (next <= last && children.size() < kJobs) {
      children.push_back(start(next++, kSeconds));
      continue;
    }
    const Outcome outcome = wait_for_one(children);
    ++findings.runs;
    if (!outcome.failed) continue;
    ++findings.found;
    ++findings.by[outcome.invariant];
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
  std::printf("%-24s found in %d of %d runs%s\n", name, findings.found, findings.runs, by.c_str());
  std::fflush(stdout);
  return findings;
}

// Returns the exit code: 0 if every bug was found and the correct code has no violation.
int run_all() {
  const int false_alarms = report("none").found;
  const int bugs = static_cast<int>(std::size(planted::kBugNames)) - 1;
  int bugs_found = 0;
  int runs_found = 0;
  int runs = 0;
  for (int i = 1; i <= bugs; ++i) {
    planted::bug = static_cast<planted::Bug>(i);
    const Findings findings = report(planted::kBugNames[i]);
    bugs_found += findings.found > 0 ? 1 : 0;
    runs_found += findings.found;
    runs += findings.runs;
  }
  std::printf("%d of %d bugs found, by %d %% of the runs; %d false alarms\n", bugs_found, bugs,
              100 * runs_found / runs, false_alarms);
  return bugs_found == bugs && false_alarms == 0 ? 0 : 1;
}

}  // namespace
}  // namespace orrery::fleet

int main() {
  spdlog::set_level(spdlog::level::off);
  return orrery::fleet::run_all();
}
