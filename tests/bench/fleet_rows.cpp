// Owns the benchmark of the fleet: simulated seconds in a second of one core.
#include <spdlog/spdlog.h>

#include <vector>

#include "tests/bench/rows.h"
#include "tests/bench/table.h"
#include "tests/fleet/runner.h"

namespace orrery::bench {
namespace {

constexpr std::uint64_t kSeeds = 20;
constexpr std::uint32_t kSeconds = 60;

struct Pace {
  double simulated = 0;
  double cpu = 0;

  void add(const fleet::Outcome& outcome) {
    simulated += outcome.simulated_seconds;
    cpu += outcome.cpu_seconds;
  }
  std::string text() const { return format("%.0f simulated seconds a second", simulated / cpu); }
};

}  // namespace

void print_fleet_rows() {
  spdlog::set_level(spdlog::level::off);
  Pace encrypted;
  Pace stand_in;
  std::uint64_t failed = 0;
  std::vector<fleet::Child> children;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    children.push_back(fleet::start(seed, kSeconds));
    const fleet::Outcome outcome = fleet::wait_for_one(children);
    failed += outcome.failed ? 1 : 0;
    if (!outcome.large) (outcome.sealed ? encrypted : stand_in).add(outcome);
  }
  const std::string runs =
      format("%llu of %llu runs failed", static_cast<unsigned long long>(failed),
             static_cast<unsigned long long>(kSeeds));
  print_row("fleet, all faults, encrypted", "100", encrypted.text(), runs);
  print_row("fleet, all faults, a stand-in of equal length", "300", stand_in.text(), runs);
}

}  // namespace orrery::bench
