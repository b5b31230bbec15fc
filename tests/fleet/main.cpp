// Runs the fleet for a range of seeds, prints results, and says how to repeat a failed run.
#include <spdlog/spdlog.h>

#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

#include "tests/fleet/runner.h"

namespace orrery::fleet {
namespace {

constexpr const char* kUsage =
    R"(usage: fleet [--seed N | --seeds A..B] [--seconds S] [--jobs J] [--all-faults]

Simulates a server, eleven clients and attackers in one process, in virtual time. The network loses,
delays, copies, reorders and damages datagrams. Every tick is checked against invariants. The seed
determines the whole run.

  --seed N       run only seed N, and count its events
  --seeds A..B   run these seeds, each in its own process (default 1..22)
  --seconds S    virtual seconds with faults in each run (default 120); a calm follows
  --jobs J       runs at the same time (default 2)
  --all-faults   use every kind of fault in every run, instead of about half of them

Exit code: 0 if no run failed; 1 if one did, with a line that says how to repeat it.
)";

struct Options {
  std::uint64_t first = 1;
  std::uint64_t last = 22;
  std::uint32_t seconds = 120;
  std::uint32_t jobs = 2;
  bool all_faults = false;
};

void print(const EventCounts& counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    std::printf("%12llu %s\n", static_cast<unsigned long long>(counts[i]), kEventNames[i].data());
  }
}

void report(const Outcome& outcome, const Options& options) {
  const auto seed = static_cast<unsigned long long>(outcome.seed);
  const auto tick = static_cast<unsigned long long>(outcome.tick);
  if (!outcome.failed) {
    std::printf("seed %llu: %llu ticks, trace 0x%016llx\n", seed, tick,
                static_cast<unsigned long long>(outcome.trace));
    return;
  }
  std::printf("seed %llu: FAILED at tick %llu: %s: %s\n", seed, tick, outcome.invariant,
              outcome.what);
  std::printf("to repeat it: build/bin/fleet --seed %llu --seconds %u%s\n", seed, options.seconds,
              options.all_faults ? " --all-faults" : "");
}

// The amount of virtual time that one core simulates per second.
struct Pace {
  double simulated_seconds = 0;
  double cpu_seconds = 0;

  void add(const Outcome& outcome) {
    simulated_seconds += outcome.simulated_seconds;
    cpu_seconds += outcome.cpu_seconds;
  }
  void print(const char* what) const {
    if (cpu_seconds == 0) return;
    std::printf("%s: %.0f s in %.1f s of CPU, %.0f a second\n", what, simulated_seconds,
                cpu_seconds, simulated_seconds / cpu_seconds);
  }
};

int run_all(const Options& options) {
  std::vector<Child> children;
  EventCounts counts{};
  Pace encrypted;
  Pace stand_in;
  Pace large;
  std::uint64_t failures = 0;
  for (std::uint64_t next = options.first; next <= options.last || !children.empty();) {
    if (next <= options.last && children.size() < options.jobs) {
      children.push_back(start(next++, options.seconds, options.all_faults));
      continue;
    }
    const Outcome outcome = wait_for_one(children);
    report(outcome, options);
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += outcome.counts[i];
    (outcome.large ? large : outcome.sealed ? encrypted : stand_in).add(outcome);
    failures += outcome.failed ? 1 : 0;
  }
  print(counts);
  encrypted.print("encrypted");
  stand_in.print("with a stand-in");
  large.print("large worlds");
  std::printf("%llu of %llu runs failed\n", static_cast<unsigned long long>(failures),
              static_cast<unsigned long long>(options.last - options.first + 1));
  return failures == 0 ? 0 : 1;
}

template <class Integer>
bool parse(std::string_view text, Integer& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

bool parse_seeds(std::string_view text, Options& options) {
  const std::size_t dots = text.find("..");
  return dots != std::string_view::npos && parse(text.substr(0, dots), options.first) &&
         parse(text.substr(dots + 2), options.last) && options.first <= options.last;
}

std::optional<Options> parse_arguments(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view name = arguments[i];
    if (name == "--all-faults") {
      options.all_faults = true;
      continue;
    }
    if (++i == count) return std::nullopt;
    const std::string_view value = arguments[i];
    bool good = false;
    if (name == "--seed") {
      good = parse(value, options.first);
      options.last = options.first;
    } else if (name == "--seeds") {
      good = parse_seeds(value, options);
    } else if (name == "--seconds") {
      good = parse(value, options.seconds) && options.seconds >= kSecondsMin &&
             options.seconds <= 86400;
    } else if (name == "--jobs") {
      good = parse(value, options.jobs) && options.jobs >= 1 && options.jobs <= 256;
    }
    if (!good) return std::nullopt;
  }
  return options;
}

}  // namespace
}  // namespace orrery::fleet

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--help") {
    std::fputs(orrery::fleet::kUsage, stdout);
    return 0;
  }
  const auto options = orrery::fleet::parse_arguments(argc, argv);
  if (!options) {
    std::fputs("fleet: cannot use that; see fleet --help\n", stderr);
    return 2;
  }
  spdlog::set_level(spdlog::level::off);
  return orrery::fleet::run_all(*options);
}
