// Checks that random sessions find every planted bug.
#include <cstdint>
#include <cstdio>
#include <iterator>

#include "tests/fuzz/attack/reference_session.h"
#include "tests/fuzz/attack/seeded.h"

namespace orrery::planted {

Bug bug = none;

}  // namespace orrery::planted

namespace orrery::attack {
namespace {

// Number of seeds within which each bug must be found, from each first seed on.
constexpr std::uint64_t kSeedsMax = 1000;
constexpr std::uint64_t kFirstSeeds[] = {1, 10'001, 100'001, 712'001};

// Number of seeds that must all pass without a bug.
constexpr std::uint64_t kSoundSeeds = 40;

constexpr Program kProgram = {.name = "random_worlds_planted",
                              .about = "",
                              .enough_seeds = kSeedsMax,
                              .seconds_max = 600,
                              .attack = [](Attempt& attempt) { record(attempt); }};

// Tries seeds with the current bug, up to the first that fails. Returns its number, counted from 1;
// 0 if none of `count` seeds failed.
std::uint64_t seeds_until_found(std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    Attempt attempt;
    attempt.seed = first + i;
    run_apart(kProgram, attempt);
    if (attempt.problem.empty()) continue;
    std::printf("%-28s seed %llu: %s\n", planted::kBugNames[planted::bug],
                static_cast<unsigned long long>(attempt.seed), attempt.problem.c_str());
    std::fflush(stdout);
    return i + 1;
  }
  return 0;
}

// Returns the exit code: 0 if every bug was found and the correct code has no fault.
int run_all() {
  bool right = seeds_until_found(1, kSoundSeeds) == 0;
  for (int i = 1; i < static_cast<int>(std::size(planted::kBugNames)); ++i) {
    planted::bug = static_cast<planted::Bug>(i);
    for (const std::uint64_t first : kFirstSeeds) {
      const std::uint64_t seeds = seeds_until_found(first, kSeedsMax);
      right = right && seeds != 0;
      std::printf("%-28s from seed %llu on: %s after %llu seeds\n", planted::kBugNames[i],
                  static_cast<unsigned long long>(first), seeds == 0 ? "NOT FOUND" : "found",
                  static_cast<unsigned long long>(seeds == 0 ? kSeedsMax : seeds));
      std::fflush(stdout);
    }
  }
  return right ? 0 : 1;
}

}  // namespace
}  // namespace orrery::attack

int main() { return orrery::attack::run_all(); }
