// Implements `orrery lab energy`: measures the drift of energy over many periods.
#include <cstdint>
#include <cstdio>

#include "client/cli/command_line/shared_options.h"
#include "client/cli/json.h"
#include "client/cli/unusable.h"
#include "client/lab/analysis.h"
#include "client/lab/run.h"
#include "client/lab/verbs/choice.h"
#include "client/lab/verbs/lab.h"
#include "client/lab/verbs/report.h"
#include "common/host/process/terminal.h"

namespace orrery::cli {
namespace {

using lab::Real;

struct LabEnergyOptions : LabChoice {
  std::uint64_t steps_per_period = 60;
  std::uint64_t periods = 100'000;
};

int lab_energy(const LabEnergyOptions& options) {
  const Result<LabPair> pair = parse_pair(options.method, options.problem, options.settings);
  if (!pair) return unusable(pair.error().text());
  const Result<Real> period = lab::period_of(pair.value().problem);
  if (!period) return unusable(period.error().text());
  if (options.steps_per_period < 1 || options.steps_per_period > 100'000) {
    return unusable("--steps-per-period: must be from 1 to 100000");
  }
  if (options.periods < 20 || options.periods > lab::kStepsMax / options.steps_per_period) {
    return unusable("--periods: must be at least 20, and 1000000000 steps at most");
  }
  host::ProgressBar progress("lab energy", options.periods);
  const auto report = lab::measure_energy(
      options.method, pair.value().problem, options.steps_per_period, options.periods,
      pair.value().options, [&progress](std::uint64_t done) { progress.show(done); });
  if (options.json) {
    print(json::object({{"method", options.method},
                        {"problem", options.problem},
                        {"steps_per_period", options.steps_per_period},
                        {"periods", options.periods},
                        {"dt", number(report.dt)},
                        {"first_max", number(report.first_max)},
                        {"last_max", number(report.last_max)},
                        {"mean_change", number(report.mean_change)},
                        {"evaluations", report.evaluations},
                        {"blew_up_at", report.blew_up_at}}));
  } else if (report.last_max) {
    std::printf("largest |E/E0 - 1|: %.6e in the first ten periods, %.6e in the last ten\n",
                shown(report.first_max), shown(*report.last_max));
    std::printf("change of the mean: %+.3e; %llu force evaluations\n", shown(*report.mean_change),
                static_cast<unsigned long long>(report.evaluations));
  }
  return exit_code(options.method, report.blew_up_at);
}

}  // namespace

void add_lab_energy(Verb& lab) {
  auto [verb, options] = lab.add_verb(
      "energy", "Measure the drift of energy over many periods",
      "  orrery lab energy --method velocity-verlet --problem kepler --periods 1000", lab_energy);
  add_choice(verb, options);
  verb.option("--steps-per-period", options.steps_per_period,
              "Number of steps in a period, at most 100000")
      .shows_default()
      .any_number()
      .type("N");
  verb.option("--periods", options.periods, "Number of periods, at least 20")
      .shows_default()
      .any_number()
      .type("N");
}

}  // namespace orrery::cli
