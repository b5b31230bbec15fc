// Owns `fleet_planted`: whether the fleet finds the bugs that were put there for it.
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

constexpr std::uint64_t kSeeds = 8;
constexpr std::uint32_t kSeconds = 60;
constexpr std::size_t kJobs = 2;

// How many runs found a bug, by the invariant that did not hold.
using Findings = std::map<std::string, int>;

// With the bug of this moment.
Findings run_seeds() {
  Findings findings;
  std::vector<Child> children;
  for (std::uint64_t next = 1; next <= kSeeds || !children.empty();) {
    if (next <= kSeeds && children.size() < kJobs) {
      children.push_back(start(next++, kSeconds));
      continue;
    }
    const Outcome outcome = wait_for_one(children);
    if (outcome.failed) ++findings[outcome.invariant];
  }
  return findings;
}

// Runs of the bug of this moment that found it.
int report(const char* name) {
  int found = 0;
  std::string by;
  for (const auto& [invariant, times] : run_seeds()) {
    found += times;
    by += (by.empty() ? "" : ", ") + invariant;
  }
  std::printf("%-24s found in %d of %d runs%s%s\n", name, found, static_cast<int>(kSeeds),
              by.empty() ? "" : ": ", by.c_str());
  std::fflush(stdout);
  return found;
}

// The exit code: 0 if every bug was found, and nothing where there is none.
int run_all() {
  const int false_alarms = report("none");
  const int bugs = static_cast<int>(std::size(planted::kBugNames)) - 1;
  int bugs_found = 0;
  int runs_found = 0;
  for (int i = 1; i <= bugs; ++i) {
    planted::bug = static_cast<planted::Bug>(i);
    const int found = report(planted::kBugNames[i]);
    bugs_found += found > 0 ? 1 : 0;
    runs_found += found;
  }
  std::printf("%d of %d bugs found, by %d %% of the runs; %d false alarms\n", bugs_found, bugs,
              100 * runs_found / (bugs * static_cast<int>(kSeeds)), false_alarms);
  return bugs_found == bugs && false_alarms == 0 ? 0 : 1;
}

}  // namespace
}  // namespace orrery::fleet

int main() {
  spdlog::set_level(spdlog::level::off);
  return orrery::fleet::run_all();
}
