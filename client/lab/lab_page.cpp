// The C interface of lab.wasm: the laboratory's problems and methods, for the lab page.
//
// Texts end with a zero byte. Results stay valid until the next call. Call lab_choose() or
// lab_choose_rotation() first, then lab_set_steps(), then the functions that run. A rotation has no
// lab_exact(), lab_work() and lab_acceleration().
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/lab/exact.h"
#include "client/lab/rotation_run.h"
#include "client/lab/run.h"
#include "client/lab/simulation.h"
#include "common/integrate/catalogue.h"

#define LAB_PAGE extern "C" [[gnu::visibility("default")]]

namespace {

using namespace orrery::lab;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

RunSetup setup;
std::optional<RotationSetup> rotation;  // if it is set, `setup` has the name of its method only
std::string text;                       // the catalogue, or the last error
std::vector<double> numbers;            // the last result

int failed(const orrery::Error& error) {
  text = error.message;
  return -1;
}

void add(Real value) { numbers.push_back(static_cast<double>(value)); }

void add(const std::vector<Real>& values) {
  for (Real value : values) add(value);
}

void add(const ErrorSize& size) {
  add(size.max);
  add(size.rms);
  add(size.final);
}

void line(std::initializer_list<std::string_view> fields) {
  for (std::string_view field : fields) {
    text += field;
    text += '\t';
  }
  text.back() = '\n';
}

std::vector<Setting> settings_of(std::string_view keys, const double* values) {
  std::vector<Setting> settings;
  while (!keys.empty()) {
    const std::size_t end = std::min(keys.find(' '), keys.size());
    settings.push_back({std::string(keys.substr(0, end)), *values++});
    keys.remove_prefix(std::min(end + 1, keys.size()));
  }
  return settings;
}

// Measures the end of a run that computes in T: the error of x and v together, NaN if it is not
// finite, and the number of force evaluations.
template <class T>
void measure_end(double dt, std::uint32_t steps) {
  Simulation<T> simulation(setup.method, setup.problem, static_cast<T>(dt), setup.options);
  simulation.steps(static_cast<T>(dt), steps);
  std::vector<Real> x(setup.problem.dimension()), v(setup.problem.dimension());
  exact_state(setup.problem, static_cast<Real>(dt) * steps, x, v);
  Real sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Real dx = simulation.state().x[i] - x[i];
    const Real dv = simulation.state().v[i] - v[i];
    sum += dx * dx + dv * dv;
  }
  const auto error = static_cast<double>(std::sqrt(sum));
  numbers = {std::isfinite(error) ? error : kNone, static_cast<double>(simulation.evaluations())};
}

// Writes a row for each state of the rotation: time, energy divided by the initial energy, spin in
// body axes, and the rate of the spin without resistance. Returns the number of rows.
std::uint32_t observe_spin() {
  const auto& inertia = rotation->inertia;
  double first = 0;
  std::uint32_t count = 0;
  observe_rotation(*rotation, [&](double t, const Triple<double>& omega) {
    const Triple<double> l = orrery::integrate::scaled(inertia, omega);
    const double energy = orrery::integrate::dot(l, omega);
    if (count++ == 0) first = energy;
    numbers.insert(numbers.end(), {t, energy / first});
    numbers.insert(numbers.end(), omega.begin(), omega.end());
    const auto torque = orrery::integrate::cross(l, omega);
    for (std::size_t i = 0; i < 3; ++i) numbers.push_back(torque[i] / inertia[i]);
  });
  return count;
}

void report_rotation() {
  const RotationReport report = run_rotation(*rotation);
  auto clock = exact_flips(rotation->inertia, rotation->omega);
  if (rotation->rolling != 0) clock.reset();
  const Real time = static_cast<Real>(rotation->steps) * static_cast<Real>(rotation->dt);
  numbers = {report.energy_last,
             report.energy_error_max,
             report.momentum_last,
             report.momentum_error_max,
             report.direction_error_max,
             static_cast<double>(report.flips),
             clock ? static_cast<double>(clock->flips_by(time)) : kNone,
             report.first_flip.value_or(kNone)};
  const auto omega =
      orrery::integrate::divided(orrery::integrate::momentum(report.last), rotation->inertia);
  numbers.insert(numbers.end(), omega.begin(), omega.end());
  for (double part : report.last.q) numbers.push_back(part);
  numbers.push_back(report.blew_up_at ? static_cast<double>(*report.blew_up_at) : kNone);
}

}  // namespace

// Returns the text of the last error.
LAB_PAGE const char* lab_error() { return text.c_str(); }

// Returns a line for each problem and method, with tabs between the fields:
//
//   problem   name  equation  about  parameters, with spaces between them
//   method    name  title  order  energy  source  "equal" if steps must be equal, or "any"
//   rotation  name  title  order  energy  source  "equal"
//
// Variants that the catalogue lacks have an empty title, energy and source, and the order 0.
// lab_catalogue_numbers() returns the numbers that belong to these lines.
LAB_PAGE const char* lab_catalogue() {
  text.clear();
  for (const ProblemInfo& info : problems()) {
    std::string keys;
    for (const Parameter& parameter : info.parameters) {
      keys += std::string(keys.empty() ? "" : " ") + std::string(parameter.name);
    }
    line({"problem", info.name, info.equation, info.about, keys});
  }
  for (std::string_view name : method_names()) {
    const orrery::integrate::Method* row = orrery::integrate::find_method(name);
    const std::string_view equal = needs_equal_steps(name) ? "equal" : "any";
    if (row == nullptr) {
      line({"method", name, "", "0", "", "", equal});
    } else {
      line({"method", name, row->title, std::to_string(row->order), row->energy, row->source,
            equal});
    }
  }
  for (const auto& row : orrery::integrate::kRotationMethods) {
    line({"rotation", row.name, row.title, std::to_string(row.order), row.energy, row.source,
          "equal"});
  }
  return text.c_str();
}

// Returns the default value of each parameter of each problem. The largest stable h w on an
// oscillator follows for each method, NaN for variants.
LAB_PAGE const double* lab_catalogue_numbers() {
  numbers.clear();
  for (const ProblemInfo& info : problems()) {
    for (const Parameter& parameter : info.parameters) numbers.push_back(parameter.value);
  }
  for (std::string_view name : method_names()) {
    const orrery::integrate::Method* row = orrery::integrate::find_method(name);
    numbers.push_back(row == nullptr ? kNone : row->oscillator_limit);
  }
  return numbers.data();
}

// Chooses a method and a problem. `keys` are the names of parameters, with spaces between them, and
// `values` their values; beta and gamma belong to the method newmark. Returns 0, or -1 for an
// unknown name or a wrong value.
LAB_PAGE int lab_choose(const char* method, const char* problem, const char* keys,
                        const double* values) {
  std::vector<Setting> settings = settings_of(keys, values);
  orrery::Result<MethodOptions> options = take_method_options(method, settings);
  if (!options) return failed(options.error());
  orrery::Result<Problem> made = make_problem(problem, settings);
  if (!made) return failed(made.error());
  if (orrery::Status status = check_method(method, made.value()); !status) {
    return failed(status.error());
  }
  rotation.reset();
  setup.method = method;
  setup.options = options.value();
  setup.problem = made.value();
  return 0;
}

// Chooses a rotation method. `values` are the three moments of inertia of the body, its spin about
// these axes, and its rolling resistance. lab_set_steps() checks them.
LAB_PAGE void lab_choose_rotation(const char* method, const double* values) {
  setup.method = method;
  rotation = {setup.method, {values[0], values[1], values[2]}, {values[3], values[4], values[5]}};
  rotation->rolling = values[6];
}

// Sets the step in seconds, the number of steps, and the seed of random steps if `random` is not 0.
// Returns 0, or -1 for a wrong value or for a method that needs equal steps.
LAB_PAGE int lab_set_steps(double dt, std::uint32_t steps, int random, std::uint32_t seed) {
  if (rotation) {
    rotation->dt = dt;
    rotation->steps = steps;
    const orrery::Status status = check_rotation(*rotation);
    return status ? 0 : failed(status.error());
  }
  setup.dt = dt;
  setup.steps = steps;
  setup.seed.reset();
  if (random != 0) setup.seed = seed;
  const orrery::Status status = check_setup(setup);
  return status ? 0 : failed(status.error());
}

// Returns the dimension, the stiffness and the drag per unit mass.
LAB_PAGE const double* lab_facts() {
  if (rotation) {
    numbers = {3, 0, 0};
    return numbers.data();
  }
  numbers = {static_cast<double>(setup.problem.dimension())};
  add(setup.problem.stiffness);
  add(setup.problem.drag);
  return numbers.data();
}

// Runs. Returns the number of rows: one for the start and one for each step, until the run blows
// up. lab_rows() has them.
LAB_PAGE std::uint32_t lab_observe() {
  numbers.clear();
  if (rotation) return observe_spin();
  std::uint32_t count = 0;
  const Real first = energy(setup.problem, setup.problem.x0, setup.problem.v0).value_or(0);
  observe_run(setup, [&](Real t, std::span<const Real> x, std::span<const Real> v) {
    add(t);
    const auto now = energy(setup.problem, x, v);
    numbers.push_back(first != 0 && now ? static_cast<double>(*now / first) : kNone);
    for (Real value : x) add(value);
    for (Real value : v) add(value);
    ++count;
  });
  return count;
}

// Returns the rows of lab_observe(): time, energy divided by the initial energy (NaN if there is
// none), all positions, all velocities. A rotation has its spin, and the rate of its spin, instead.
LAB_PAGE const double* lab_rows() { return numbers.data(); }

// Runs, and returns the numbers of `orrery lab run --json` in this order. NaN means null.
//
//   time, x, v, exact_x, exact_v
//   error: max, rms, final; state_error: max, rms, final; energy_ratio: last, mean, min, max
//   phase_error, evaluations, blew_up_at
//
// For a rotation, returns the numbers of `orrery lab rotate --json`, from energy_ratio on.
LAB_PAGE const double* lab_report() {
  if (rotation) {
    report_rotation();
    return numbers.data();
  }
  const RunReport report = run(setup);
  numbers.clear();
  add(report.time);
  for (const auto* values : {&report.x, &report.v, &report.exact_x, &report.exact_v}) add(*values);
  add(report.position);
  add(report.state);
  const auto ratio = report.energy.value_or(EnergyRatio{kNone, kNone, kNone, kNone});
  for (Real value : {ratio.last, ratio.mean, ratio.min, ratio.max}) add(value);
  add(report.phase_error.value_or(kNone));
  add(static_cast<Real>(report.evaluations));
  add(report.blew_up_at ? static_cast<Real>(*report.blew_up_at) : static_cast<Real>(kNone));
  return numbers.data();
}

// Returns rows of the exact motion at `count` times from `from` to `to`: time, all positions, all
// velocities. REQUIRES: count >= 2.
LAB_PAGE const double* lab_exact(double from, double to, std::uint32_t count) {
  numbers.clear();
  std::vector<Real> x(setup.problem.dimension()), v(setup.problem.dimension());
  for (std::uint32_t i = 0; i < count; ++i) {
    const double t = from + (to - from) * i / (count - 1);
    exact_state(setup.problem, t, x, v);
    numbers.push_back(t);
    add(x);
    add(v);
  }
  return numbers.data();
}

// Returns the final state_error of `orrery lab run` with equal steps, and the number of force
// evaluations. The error is NaN if it is not finite. Measures nothing but the end, so it is fast.
// If `extended` is not 0, computes in extended precision as `orrery lab order`, which is slow.
LAB_PAGE const double* lab_work(double dt, std::uint32_t steps, int extended) {
  extended != 0 ? measure_end<Real>(dt, steps) : measure_end<double>(dt, steps);
  return numbers.data();
}

// Returns the acceleration of each coordinate. REQUIRES: x and v have as many numbers as the
// problem has coordinates.
LAB_PAGE const double* lab_acceleration(double t, const double* x, const double* v) {
  const std::size_t n = setup.problem.dimension();
  numbers.resize(n);
  LabSystem<double>(setup.problem).acceleration(t, {x, n}, {v, n}, numbers);
  return numbers.data();
}
