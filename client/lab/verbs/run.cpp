// Implements `orrery lab run`: runs a method on a problem and measures its errors.
#include "client/lab/run.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "client/cli/command_line/shared_options.h"
#include "client/cli/json.h"
#include "client/cli/unusable.h"
#include "client/lab/verbs/choice.h"
#include "client/lab/verbs/lab.h"
#include "client/lab/verbs/report.h"

namespace orrery::cli {
namespace {

using lab::Real;

struct LabRunOptions : LabChoice {
  std::string dt;  // seconds: a number, or a ratio such as 1/60
  std::uint64_t steps = 0;
  std::uint64_t substeps = 1;
  std::optional<std::uint64_t> random_dt;
  std::string precision = "double";
};

// Returns JSON: a number if there is one value, an array otherwise.
json::Text numbers(const std::vector<Real>& values) {
  if (values.size() == 1) return number(values[0]);
  std::vector<json::Text> items;
  for (Real value : values) items.push_back(number(value));
  return json::array(items);
}

json::Text point(const std::vector<Real>& x, const std::vector<Real>& v) {
  return json::object({{"x", numbers(x)}, {"v", numbers(v)}});
}

json::Text sizes(const lab::ErrorSize& size) {
  return json::object(
      {{"max", number(size.max)}, {"rms", number(size.rms)}, {"final", number(size.final)}});
}

json::Text ratios(const std::optional<lab::EnergyRatio>& ratio) {
  if (!ratio) return json::null();
  return json::object({{"last", number(ratio->last)},
                       {"mean", number(ratio->mean)},
                       {"min", number(ratio->min)},
                       {"max", number(ratio->max)}});
}

Result<lab::RunSetup> run_setup(const LabRunOptions& options) {
  Result<LabPair> pair = parse_pair(options.method, options.problem, options.settings);
  if (!pair) return pair.error();
  Result<Real> dt = parse_number("--dt", options.dt);
  if (!dt) return dt.error();
  lab::RunSetup setup;
  setup.method = options.method;
  setup.options = pair.value().options;
  setup.problem = pair.value().problem;
  setup.dt = dt.value();
  setup.steps = options.steps;
  setup.substeps = options.substeps;
  setup.seed = options.random_dt;
  if (options.precision == "float") {
    setup.precision = lab::Precision::binary32;
  } else if (options.precision == "long-double") {
    setup.precision = lab::Precision::extended;
  } else if (options.precision != "double") {
    return Error::at("--precision", ": must be float, double or long-double");
  }
  if (Status status = lab::check_setup(setup); !status) return status.error();
  return setup;
}

void print_run(const LabRunOptions& options, const lab::RunSetup& setup,
               const lab::RunReport& report) {
  if (options.json) {
    print(json::object({{"method", options.method},
                        {"problem", options.problem},
                        {"dt", number(setup.dt)},
                        {"steps", setup.steps},
                        {"substeps", setup.substeps},
                        {"random_dt", setup.seed},
                        {"precision", options.precision},
                        {"time", number(report.time)},
                        {"final", point(report.x, report.v)},
                        {"exact", point(report.exact_x, report.exact_v)},
                        {"error", sizes(report.position)},
                        {"state_error", sizes(report.state)},
                        {"energy_ratio", ratios(report.energy)},
                        {"phase_error", number(report.phase_error)},
                        {"evaluations", report.evaluations},
                        {"blew_up_at", report.blew_up_at}}));
    return;
  }
  std::printf("%s on %s, %llu steps, t = %.10g s\n", options.method.c_str(),
              options.problem.c_str(), static_cast<unsigned long long>(setup.steps),
              shown(report.time));
  for (std::size_t i = 0; i < std::min<std::size_t>(report.x.size(), 8); ++i) {
    std::printf("x = %-22.15g exact %-22.15g v = %-22.15g exact %.15g\n", shown(report.x[i]),
                shown(report.exact_x[i]), shown(report.v[i]), shown(report.exact_v[i]));
  }
  std::printf("error of x: max %.6e, rms %.6e, final %.6e\n", shown(report.position.max),
              shown(report.position.rms), shown(report.position.final));
  if (report.energy) {
    std::printf("E/E0: last %.8g, mean %.8g, min %.8g, max %.8g\n", shown(report.energy->last),
                shown(report.energy->mean), shown(report.energy->min), shown(report.energy->max));
  }
  if (report.phase_error) std::printf("phase error: %+.6f rad\n", shown(*report.phase_error));
  std::printf("force evaluations: %llu\n", static_cast<unsigned long long>(report.evaluations));
}

int lab_run(const LabRunOptions& options) {
  const Result<lab::RunSetup> setup = run_setup(options);
  if (!setup) return unusable(setup.error().text());
  const lab::RunReport report = lab::run(setup.value());
  print_run(options, setup.value(), report);
  return exit_code(options.method, report.blew_up_at);
}

}  // namespace

void add_lab_run(Verb& lab) {
  auto [verb, options] = lab.add_verb(
      "run", "Run a method on a problem and measure its errors",
      "  orrery lab run --method rk4 --problem oscillator --dt 0.1 --steps 90 --set k=9\n"
      "  orrery lab run --method tcv --problem projectile --dt 1/30 --steps 120",
      lab_run);
  add_choice(verb, options);
  verb.option("--dt", options.dt, kStepAbout).required().type("S");
  verb.option("--steps", options.steps, kStepsAbout).required().any_number().type("N");
  verb.option("--substeps", options.substeps, "Divide each step into N equal steps, at most 10000")
      .shows_default()
      .any_number()
      .type("N");
  verb.option("--random-dt", options.random_dt,
              "Draw each step after the first between dt/2 and 3dt/2, with this seed")
      .shows_default("equal steps")
      .any_number()
      .type("SEED");
  verb.option("--precision", options.precision, "Floating-point type: float, double or long-double")
      .shows_default()
      .type("TYPE");
}

}  // namespace orrery::cli
