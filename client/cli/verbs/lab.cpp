// Implements the verbs of `orrery lab` that list and measure.
#include "client/cli/verbs/lab.h"

#include <cmath>
#include <cstdio>

#include "client/cli/json.h"
#include "client/cli/verbs/lab_parse.h"
#include "client/cli/verbs/verbs.h"
#include "client/lab/analysis.h"
#include "client/lab/rotation_run.h"
#include "client/lab/run.h"
#include "common/host/process/terminal.h"
#include "common/integrate/catalogue.h"

namespace orrery::cli {

namespace {

using lab::Real;

std::string number(Real value) { return json::of(static_cast<double>(value)); }
std::string number(const std::optional<Real>& value) {
  return value ? number(*value) : json::null();
}
std::string text(std::string_view value) { return json::of(value); }

// Returns a number in one dimension, an array otherwise.
std::string numbers(const std::vector<Real>& values) {
  if (values.size() == 1) return number(values[0]);
  std::vector<std::string> items;
  for (Real value : values) items.push_back(number(value));
  return json::array(items);
}

std::string triple(const std::array<double, 3>& values) {
  return json::array({json::of(values[0]), json::of(values[1]), json::of(values[2])});
}

std::string point(const std::vector<Real>& x, const std::vector<Real>& v) {
  return json::Object().add("x", numbers(x)).add("v", numbers(v)).text();
}

std::string sizes(const lab::ErrorSize& size) {
  return json::Object()
      .add("max", number(size.max))
      .add("rms", number(size.rms))
      .add("final", number(size.final))
      .text();
}

std::string ratios(const std::optional<lab::EnergyRatio>& ratio) {
  if (!ratio) return json::null();
  return json::Object()
      .add("last", number(ratio->last))
      .add("mean", number(ratio->mean))
      .add("min", number(ratio->min))
      .add("max", number(ratio->max))
      .text();
}

std::string step_or_null(const std::optional<std::uint64_t>& step) {
  return step ? json::of(*step) : json::null();
}

void print(const json::Object& object) { std::printf("%s\n", object.text().c_str()); }

double shown(Real value) { return static_cast<double>(value); }

std::string shown_limit(double limit) {
  if (std::isinf(limit)) return "none";
  if (limit == 0) return "never";
  char out[32];
  std::snprintf(out, sizeof out, "%.5f", limit);
  return out;
}

std::string needs(std::uint8_t bits) {
  std::vector<std::string> items;
  if (bits & integrate::kNeedsJacobian) items.push_back(text("jacobian"));
  if (bits & integrate::kNeedsDrag) items.push_back(text("drag"));
  if (bits & integrate::kNeedsForces) items.push_back(text("forces"));
  if (bits & integrate::kNeedsFixedStep) items.push_back(text("fixed-step"));
  return json::array(items);
}

std::string method_object(const integrate::Method& method) {
  const auto limit = [](double value) {
    return std::isinf(value) ? json::null() : json::of(value);
  };
  return json::Object()
      .add("name", text(method.name))
      .add("title", text(method.title))
      .add("order", std::to_string(method.order))
      .add("limit", limit(method.oscillator_limit))
      .add("drag_limit", limit(method.drag_limit))
      .add("evaluations", std::to_string(method.evaluations))
      .add("evaluations_with_velocity", std::to_string(method.evaluations_with_velocity))
      .add("energy", text(method.energy))
      .add("needs", needs(method.needs))
      .add("source", text(method.source))
      .text();
}

// Returns the methods that are not in the catalogue.
std::vector<std::string_view> variants() {
  std::vector<std::string_view> names;
  for (const std::string_view name : lab::method_names()) {
    if (integrate::find_method(name) == nullptr) names.push_back(name);
  }
  return names;
}

void print_methods() {
  std::printf("%-28s %5s %9s %9s %5s  %s\n", "METHOD", "ORDER", "LIMIT h*w", "DRAG h*b", "EVALS",
              "ENERGY OF AN OSCILLATOR; SOURCE");
  for (const integrate::Method& method : integrate::kMethods) {
    std::printf("%-28s %5d %9s %9s %5d  %s; %s\n", std::string(method.name).c_str(), method.order,
                shown_limit(method.oscillator_limit).c_str(),
                shown_limit(method.drag_limit).c_str(), method.evaluations,
                std::string(method.energy).c_str(), std::string(method.source).c_str());
  }
  std::printf("\nVariants that the claims and the problems with drag use:");
  for (const std::string_view name : variants()) std::printf(" %s", std::string(name).c_str());
  std::printf("\n\n%-28s %5s  %s\n", "ROTATION METHOD", "ORDER", "ENERGY; SOURCE");
  for (const lab::RotationMethodInfo& method : lab::rotation_methods()) {
    std::printf("%-28s %5d  %s; %s\n", std::string(method.name).c_str(), method.order,
                std::string(method.energy).c_str(), std::string(method.source).c_str());
  }
}

std::string problem_object(const lab::ProblemInfo& info) {
  json::Object parameters;
  for (const lab::Parameter& parameter : info.parameters) {
    parameters.add(parameter.name, json::of(parameter.value));
  }
  return json::Object()
      .add("name", text(info.name))
      .add("equation", text(info.equation))
      .add("about", text(info.about))
      .add("parameters", parameters.text())
      .text();
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
    return Error{"--precision: must be float, double or long-double"};
  }
  if (Status status = lab::check_setup(setup); !status) return status.error();
  return setup;
}

void print_run(const LabRunOptions& options, const lab::RunSetup& setup,
               const lab::RunReport& report) {
  if (options.json) {
    print(json::Object()
              .add("method", text(options.method))
              .add("problem", text(options.problem))
              .add("dt", number(setup.dt))
              .add("steps", json::of(setup.steps))
              .add("substeps", json::of(setup.substeps))
              .add("random_dt", step_or_null(setup.seed))
              .add("precision", text(options.precision))
              .add("time", number(report.time))
              .add("final", point(report.x, report.v))
              .add("exact", point(report.exact_x, report.exact_v))
              .add("error", sizes(report.position))
              .add("state_error", sizes(report.state))
              .add("energy_ratio", ratios(report.energy))
              .add("phase_error", number(report.phase_error))
              .add("evaluations", json::of(report.evaluations))
              .add("blew_up_at", step_or_null(report.blew_up_at)));
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

// Returns 1 and says so on stderr if the run blew up: the measurement is complete, but no success.
int exit_code(const std::string& method, const std::optional<std::uint64_t>& blew_up_at) {
  if (!blew_up_at) return 0;
  std::fprintf(stderr, "orrery: %s: blew up at step %llu; try a smaller --dt or another --method\n",
               method.c_str(), static_cast<unsigned long long>(*blew_up_at));
  return 1;
}

void print_rotation(const LabRotateOptions& options, const lab::RotationSetup& setup,
                    const lab::RotationReport& report) {
  const auto clock = lab::exact_flips(setup.inertia, setup.omega);
  const Real time = static_cast<Real>(setup.steps) * static_cast<Real>(setup.dt);
  std::optional<std::uint64_t> exact;
  if (clock) exact = clock->flips_by(time);
  const auto omega = integrate::divided(integrate::momentum(report.last), setup.inertia);
  const auto& q = report.last.q;
  if (options.json) {
    print(json::Object()
              .add("method", text(options.method))
              .add("dt", json::of(setup.dt))
              .add("steps", json::of(setup.steps))
              .add("energy_ratio", json::of(report.energy_last))
              .add("energy_error", json::of(report.energy_error_max))
              .add("momentum_ratio", json::of(report.momentum_last))
              .add("momentum_error", json::of(report.momentum_error_max))
              .add("direction_error", json::of(report.direction_error_max))
              .add("flips", json::of(report.flips))
              .add("exact_flips", step_or_null(exact))
              .add("first_flip", report.first_flip ? json::of(*report.first_flip) : json::null())
              .add("angular_velocity", triple(omega))
              .add("orientation",
                   json::array({json::of(q[0]), json::of(q[1]), json::of(q[2]), json::of(q[3])}))
              .add("blew_up_at", step_or_null(report.blew_up_at)));
    return;
  }
  std::printf("E/E0 = %.10g at the end, largest error %.3e\n", report.energy_last,
              report.energy_error_max);
  std::printf("|L|/|L0| = %.10g at the end, largest error %.3e\n", report.momentum_last,
              report.momentum_error_max);
  std::printf("direction of L: largest error %.3e rad\n", report.direction_error_max);
  std::printf("flips: %llu, exact %s\n", static_cast<unsigned long long>(report.flips),
              exact ? std::to_string(*exact).c_str() : "none");
}

}  // namespace

int lab_methods(bool json) {
  if (!json) {
    print_methods();
    return 0;
  }
  std::vector<std::string> methods, rotation;
  for (const integrate::Method& method : integrate::kMethods) {
    methods.push_back(method_object(method));
  }
  for (const lab::RotationMethodInfo& method : lab::rotation_methods()) {
    rotation.push_back(json::Object()
                           .add("name", text(method.name))
                           .add("title", text(method.title))
                           .add("order", std::to_string(method.order))
                           .add("energy", text(method.energy))
                           .add("source", text(method.source))
                           .text());
  }
  print(json::Object()
            .add("methods", json::array(methods))
            .add("rotation_methods", json::array(rotation)));
  return 0;
}

int lab_problems(bool json) {
  std::vector<std::string> objects;
  for (const lab::ProblemInfo& info : lab::problems()) {
    objects.push_back(problem_object(info));
    if (json) continue;
    std::string parameters;
    for (const lab::Parameter& parameter : info.parameters) {
      parameters += " " + std::string(parameter.name) + "=" + json::of(parameter.value);
    }
    std::printf("%-15s %s\n%-15s %s;%s\n", std::string(info.name).c_str(),
                std::string(info.equation).c_str(), "", std::string(info.about).c_str(),
                parameters.c_str());
  }
  if (json) print(json::Object().add("problems", json::array(objects)));
  return 0;
}

int lab_run(const LabRunOptions& options) {
  const Result<lab::RunSetup> setup = run_setup(options);
  if (!setup) return unusable(setup.error().message);
  const lab::RunReport report = lab::run(setup.value());
  print_run(options, setup.value(), report);
  return exit_code(options.method, report.blew_up_at);
}

int lab_order(const LabChoice& options) {
  const Result<LabPair> pair = parse_pair(options.method, options.problem, options.settings);
  if (!pair) return unusable(pair.error().message);
  const lab::OrderReport report =
      lab::measure_order(options.method, pair.value().problem, pair.value().options);
  std::vector<std::string> points;
  if (!options.json) std::printf("%8s %14s %14s %8s\n", "STEPS", "DT", "ERROR", "SLOPE");
  for (const lab::OrderPoint& point : report.points) {
    points.push_back(json::Object()
                         .add("steps", json::of(point.steps))
                         .add("dt", number(point.dt))
                         .add("error", number(point.error))
                         .add("slope", number(point.slope))
                         .text());
    if (options.json) continue;
    std::printf("%8llu %14.6e %14.6e", static_cast<unsigned long long>(point.steps),
                shown(point.dt), shown(point.error));
    if (point.slope) std::printf(" %8.3f", shown(*point.slope));
    std::printf("\n");
  }
  if (options.json) {
    print(json::Object()
              .add("method", text(options.method))
              .add("problem", text(options.problem))
              .add("time", number(report.time))
              .add("slope", number(report.slope))
              .add("points", json::array(points)));
  } else if (report.slope) {
    std::printf("slope %.3f, at the smallest step with an error above rounding\n",
                shown(*report.slope));
  } else {
    std::printf("no slope: fewer than two errors are above rounding\n");
  }
  return 0;
}

int lab_stability(const LabStabilityOptions& options) {
  const Result<LabPair> pair = parse_pair(options.method, options.problem, options.settings);
  if (!pair) return unusable(pair.error().message);
  const lab::Problem& problem = pair.value().problem;
  if (Status status = lab::check_stability_problem(problem); !status) {
    return unusable(status.error().message);
  }
  const Result<Real> dt = parse_number("--dt", options.dt);
  if (!dt) return unusable(dt.error().message);
  if (!(dt.value() >= 1e-6L && dt.value() <= 1e6L)) {
    return unusable("--dt: must be from 1e-6 to 1e6");
  }
  const auto report = lab::measure_stability(options.method, problem, pair.value().options);
  const Real rate = lab::growth_rate(options.method, problem, dt.value(), pair.value().options);
  const auto scaled = report.limit ? std::optional(*report.limit * report.scale) : std::nullopt;
  if (options.json) {
    print(json::Object()
              .add("method", text(options.method))
              .add("problem", text(options.problem))
              .add("limit", number(report.limit))
              .add("limit_scaled", number(scaled))
              .add("rate", number(report.scale))
              .add("dt", number(dt.value()))
              .add("spectral_radius", number(std::exp(rate)))
              .add("log_spectral_radius", number(rate)));
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

int lab_energy(const LabEnergyOptions& options) {
  const Result<LabPair> pair = parse_pair(options.method, options.problem, options.settings);
  if (!pair) return unusable(pair.error().message);
  const Result<Real> period = lab::period_of(pair.value().problem);
  if (!period) return unusable(period.error().message);
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
    print(json::Object()
              .add("method", text(options.method))
              .add("problem", text(options.problem))
              .add("steps_per_period", json::of(options.steps_per_period))
              .add("periods", json::of(options.periods))
              .add("dt", number(report.dt))
              .add("first_max", number(report.first_max))
              .add("last_max", number(report.last_max))
              .add("mean_change", number(report.mean_change))
              .add("evaluations", json::of(report.evaluations))
              .add("blew_up_at", step_or_null(report.blew_up_at)));
  } else if (report.last_max) {
    std::printf("largest |E/E0 - 1|: %.6e in the first ten periods, %.6e in the last ten\n",
                shown(report.first_max), shown(*report.last_max));
    std::printf("change of the mean: %+.3e; %llu force evaluations\n", shown(*report.mean_change),
                static_cast<unsigned long long>(report.evaluations));
  }
  return exit_code(options.method, report.blew_up_at);
}

int lab_rotate(const LabRotateOptions& options) {
  const auto inertia = parse_triple("--inertia", options.inertia);
  if (!inertia) return unusable(inertia.error().message);
  const auto omega = parse_triple("--omega", options.omega);
  if (!omega) return unusable(omega.error().message);
  const Result<Real> dt = parse_number("--dt", options.dt);
  if (!dt) return unusable(dt.error().message);
  const lab::RotationSetup setup{options.method, inertia.value(), omega.value(),
                                 static_cast<double>(dt.value()), options.steps};
  if (Status status = lab::check_rotation(setup); !status) return unusable(status.error().message);
  const lab::RotationReport report = lab::run_rotation(setup);
  print_rotation(options, setup, report);
  return exit_code(options.method, report.blew_up_at);
}

}  // namespace orrery::cli
