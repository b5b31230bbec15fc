// Implements `orrery lab stability`: finds the largest stable step of a method.
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

#include "client/cli/command_line/shared_options.h"
#include "client/cli/json.h"
#include "client/cli/unusable.h"
#include "client/lab/analysis.h"
#include "client/lab/verbs/choice.h"
#include "client/lab/verbs/lab.h"
#include "client/lab/verbs/report.h"

namespace orrery::cli {
namespace {

using lab::Real;

struct LabStabilityOptions : LabChoice {
  std::string dt = "0.1";  // time step at which the spectral radius is computed
};

int lab_stability(const LabStabilityOptions& options) {
  const Result<LabPair> pair = parse_pair(options.method, options.problem, options.settings);
  if (!pair) return unusable(pair.error().text());
  const lab::Problem& problem = pair.value().problem;
  if (Status status = lab::check_stability_problem(problem); !status) {
    return unusable(status.error().text());
  }
  const Result<Real> dt = parse_number("--dt", options.dt);
  if (!dt) return unusable(dt.error().text());
  if (!(dt.value() >= 1e-6L && dt.value() <= 1e6L)) {
    return unusable("--dt: must be from 1e-6 to 1e6");
  }
  const auto report = lab::measure_stability(options.method, problem, pair.value().options);
  const Real rate = lab::growth_rate(options.method, problem, dt.value(), pair.value().options);
  const auto scaled = report.limit ? std::optional(*report.limit * report.scale) : std::nullopt;
  if (options.json) {
    print(json::object({{"method", options.method},
                        {"problem", options.problem},
                        {"limit", number(report.limit)},
                        {"limit_scaled", number(scaled)},
                        {"rate", number(report.scale)},
                        {"dt", number(dt.value())},
                        {"spectral_radius", number(std::exp(rate))},
                        {"log_spectral_radius", number(rate)}}));
    return 0;
  }
  if (!report.limit) {
    std::printf("stable at every step up to %g s\n", shown(report.tried));
  } else if (*report.limit == 0) {
    std::printf("unstable at every step\n");
  } else {
    std::printf("stable below dt = %.7g s, which is %.5f / rate; rate of the problem: %g /s\n",
                shown(*report.limit), shown(*scaled), shown(report.scale));
  }
  std::printf("spectral radius at dt = %g: %.12f (ln %+.6e a step)\n", shown(dt.value()),
              shown(std::exp(rate)), shown(rate));
  return 0;
}

}  // namespace

void add_lab_stability(Verb& lab) {
  auto [verb, options] = lab.add_verb(
      "stability", "Find the largest stable step, and the spectral radius",
      "  orrery lab stability --method semi-implicit-euler --problem oscillator\n"
      "  orrery lab stability --method explicit-euler --problem damped --set k=15 b=0.1",
      lab_stability);
  add_choice(verb, options);
  verb.option("--dt", options.dt,
              "Time step of the spectral radius in seconds, as a number or a ratio")
      .shows_default()
      .type("S");
}

}  // namespace orrery::cli
