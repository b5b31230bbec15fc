// Measures methods over many runs: order, stability limits, and energy over long times.
#include "client/lab/analysis.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "client/lab/elliptic.h"
#include "client/lab/exact.h"
#include "client/lab/simulation.h"

namespace orrery::lab {

namespace {

constexpr std::uint64_t kStepsFirst = 16;
// Only slopes with a large enough error at their smaller step are used: at least kAboveRounding *
// steps * size_of(). Rounding can cause this error if each step rounds 20 times.
constexpr Real kAboveRounding = 20 * std::numeric_limits<Real>::epsilon();

// Returns the largest |x| or |v| of the exact motion at time 0 and at `time`, but at least 1.
Real size_of(const Problem& problem, Real time) {
  std::vector<Real> x(problem.dimension()), v(problem.dimension());
  exact_state(problem, time, x, v);
  Real size = 1;
  for (const auto& numbers : {problem.x0, problem.v0, x, v}) {
    for (Real number : numbers) size = std::max(size, std::fabs(number));
  }
  return size;
}

// Returns the rate of a linear problem's motion. With a spring, this is the angular frequency that
// the spring would give without drag. Without a spring, it is the drag per unit mass.
Real rate_of(const Problem& problem) {
  return problem.stiffness != 0 ? std::sqrt(std::fabs(problem.stiffness)) : problem.drag;
}

// Returns the growth rate per step; 1 if the state overflows, -1 if it decays to 0. Compares the
// mean square of the state in the last quarter of the steps with that in the second quarter. The
// centres of these quarters are half of the steps apart.
Real growth_over_steps(const std::string& method, const Problem& problem, Real h,
                       const MethodOptions& options, std::uint64_t steps) {
  Problem shifted = problem;
  shifted.constant = 0;
  Simulation<Real> simulation(method, shifted, h, options);
  simulation.restart(problem.stiffness != 0 ? 1 : 0, 1, h);
  const Real rate = rate_of(problem);
  const std::uint64_t quarter = steps / 4;
  Real sums[4] = {0, 0, 0, 0};
  for (std::uint64_t i = 0; i < 4 * quarter; ++i) {
    simulation.step(h);
    const Real x = problem.stiffness != 0 ? simulation.x() : 0;
    const Real v = simulation.v() / rate;
    sums[i / quarter] += x * x + v * v;
    if (!std::isfinite(sums[i / quarter])) return 1;
  }
  if (sums[1] == 0 || sums[3] == 0) return -1;
  return std::log(sums[3] / sums[1]) / (4 * static_cast<Real>(quarter));
}

bool is_stable(const std::string& method, const Problem& problem, Real h,
               const MethodOptions& options) {
  const bool memory = has_memory(method, problem);
  const Real tolerance = memory ? 2e-6L : 1e-13L;
  return growth_rate(method, problem, h, options) <= tolerance;
}

// Returns the next step length to try after h. Some methods are unstable in narrow bands of step
// lengths with h * scale < 6. Consecutive step lengths are close together there.
Real next_tried(const std::string& method, const Problem& problem, Real h, Real scale) {
  const bool fine = h * scale < 6;
  const Real stride = has_memory(method, problem) ? 0.05L : 0.002L;
  return fine ? h + stride / scale : h * 1.25L;
}

// Returns true if the solution grows even at a small step. A method with memory (one that uses
// earlier steps) may grow slowly, so it runs for more steps here than in is_stable().
bool is_never_stable(const std::string& method, const Problem& problem, Real scale,
                     const MethodOptions& options) {
  if (has_memory(method, problem)) {
    return growth_rate(method, problem, 0.1L / scale, options, 400'000) > 1e-8L;
  }
  return !is_stable(method, problem, 0.02L / scale, options);
}

bool is_bounded(const integrate::State<double>& state) {
  const auto sound = [](double value) { return std::fabs(value) <= kBlownUp; };
  return std::all_of(state.x.begin(), state.x.end(), sound) &&
         std::all_of(state.v.begin(), state.v.end(), sound);
}

// The largest |E/E0 - 1| and the mean of E/E0 over `steps` steps. E is the energy after a step, and
// E0 the initial energy.
class EnergySpread {
 public:
  EnergySpread(const Problem& problem, std::uint64_t steps)
      : problem_(problem),
        x_(problem.x0),
        v_(problem.v0),
        start_(*energy(problem, problem.x0, problem.v0)),
        share_(1 / static_cast<Real>(steps)) {}

  void add(const integrate::State<double>& state) {
    std::copy(state.x.begin(), state.x.end(), x_.begin());
    std::copy(state.v.begin(), state.v.end(), v_.begin());
    const Real ratio = *energy(problem_, x_, v_) / start_;
    max = std::max(max, std::fabs(ratio - 1));
    mean += ratio * share_;
  }

  Real max = 0;
  Real mean = 0;

 private:
  const Problem& problem_;
  std::vector<Real> x_, v_;
  Real start_, share_;
};

}  // namespace

Real StepMatrix::spectral_radius() const {
  const Real half_trace = (xx + vv) / 2;
  const Real square = half_trace * half_trace - determinant();
  if (square < 0) return std::sqrt(determinant());
  return std::fabs(half_trace) + std::sqrt(square);
}

Real StepMatrix::angle() const {
  const Real half_trace = (xx + vv) / 2;
  ORRERY_ASSERT(half_trace * half_trace <= determinant());
  return std::atan2(std::sqrt(determinant() - half_trace * half_trace), half_trace);
}

StepMatrix step_matrix(const std::string& method, const Problem& problem, Real h,
                       const MethodOptions& options) {
  Simulation<Real> simulation(method, problem, h, options);
  simulation.restart(0, 0, h);
  simulation.step(h);
  const Real x = simulation.x(), v = simulation.v();
  StepMatrix matrix;
  simulation.restart(1, 0, h);
  simulation.step(h);
  matrix.xx = simulation.x() - x;
  matrix.vx = simulation.v() - v;
  simulation.restart(0, 1, h);
  simulation.step(h);
  matrix.xv = simulation.x() - x;
  matrix.vv = simulation.v() - v;
  return matrix;
}

Real natural_time(const Problem& problem) { return problem.form == Form::kepler ? 7 : 10; }

namespace {

// Returns the Euclidean error of x and v together after `time`; nothing if the run overflowed.
std::optional<Real> error_at_end(const std::string& method, const Problem& problem,
                                 const MethodOptions& options, Real time, std::uint64_t steps) {
  const Real h = time / static_cast<Real>(steps);
  Simulation<Real> simulation(method, problem, h, options);
  simulation.steps(h, steps);
  std::vector<Real> x(problem.dimension()), v(problem.dimension());
  exact_state(problem, time, x, v);
  Real sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Real dx = simulation.state().x[i] - x[i];
    const Real dv = simulation.state().v[i] - v[i];
    sum += dx * dx + dv * dv;
  }
  if (!std::isfinite(sum)) return std::nullopt;
  return std::sqrt(sum);
}

}  // namespace

OrderReport measure_order(const std::string& method, const Problem& problem,
                          const MethodOptions& options, std::uint64_t steps_max) {
  OrderReport report;
  report.time = natural_time(problem);
  const Real size = size_of(problem, report.time);
  for (std::uint64_t steps = kStepsFirst; steps <= steps_max; steps *= 2) {
    const auto error = error_at_end(method, problem, options, report.time, steps);
    if (!error) continue;
    OrderPoint point{steps, report.time / static_cast<Real>(steps), *error, std::nullopt};
    const bool follows = !report.points.empty() && report.points.back().steps * 2 == steps;
    if (follows && *error > 0) point.slope = std::log2(report.points.back().error / *error);
    report.points.push_back(point);
    const Real floor = kAboveRounding * size * static_cast<Real>(steps);
    if (*error < floor) break;
    report.slope = point.slope;
  }
  return report;
}

Real growth_rate(const std::string& method, const Problem& problem, Real h,
                 const MethodOptions& options, std::uint64_t steps) {
  if (has_memory(method, problem)) return growth_over_steps(method, problem, h, options, steps);
  const StepMatrix matrix = step_matrix(method, problem, h, options);
  // Without a spring, the position keeps its factor of 1 and says nothing about the method.
  if (problem.stiffness == 0) return std::log(std::fabs(matrix.vv));
  return std::log(matrix.spectral_radius());
}

StabilityReport measure_stability(const std::string& method, const Problem& problem,
                                  const MethodOptions& options) {
  StabilityReport report;
  report.scale = rate_of(problem);
  constexpr Real kTriedMax = 64;
  report.tried = kTriedMax / report.scale;
  if (is_never_stable(method, problem, report.scale, options)) {
    report.limit = 0;
    return report;
  }
  Real stable = 0.02L / report.scale;
  Real unstable = stable;
  while (is_stable(method, problem, unstable, options)) {
    stable = unstable;
    unstable = next_tried(method, problem, stable, report.scale);
    if (unstable > report.tried) return report;
  }
  while (unstable - stable > 1e-7L * unstable) {
    const Real middle = (stable + unstable) / 2;
    (is_stable(method, problem, middle, options) ? stable : unstable) = middle;
  }
  report.limit = (stable + unstable) / 2;
  return report;
}

Status check_stability_problem(const Problem& problem) {
  const bool linear = problem.form == Form::linear;
  if (linear && (problem.stiffness > 0 || (problem.stiffness == 0 && problem.drag > 0))) {
    return ok_status();
  }
  return Error::at(
      "--problem",
      " " + std::string(problem.info->name) +
          ": has no stability limit; use oscillator, damped, two-springs, gravity-spring or "
          "drag");
}

Result<Real> period_of(const Problem& problem) {
  if (energy(problem, problem.x0, problem.v0) == Real(0)) {
    return Error::at("--set",
                     ": the initial energy is 0, so no drift can be measured; set x0 or v0");
  }
  const bool springs = problem.form == Form::linear && problem.stiffness > 0 && problem.drag == 0;
  if (springs) return 2 * kRealPi / std::sqrt(problem.stiffness);
  if (problem.form == Form::kepler) return 2 * kRealPi;
  if (problem.form == Form::pendulum) {
    const Real w = std::sqrt(problem.stiffness);
    const Real k = std::hypot(std::sin(problem.x0[0] / 2), problem.v0[0] / (2 * w));
    if (k > 0 && k < 1) return 4 * complete_integral(k) / w;
  }
  return Error::at(
      "--problem",
      " " + std::string(problem.info->name) +
          ": is not periodic; use oscillator, two-springs, gravity-spring, kepler or a "
          "swinging pendulum");
}

LongEnergyReport measure_energy(const std::string& method, const Problem& problem,
                                std::uint64_t steps_per_period, std::uint64_t periods,
                                const MethodOptions& options,
                                const std::function<void(std::uint64_t)>& progress) {
  ORRERY_ASSERT(steps_per_period >= 1 && periods >= 20 && period_of(problem).ok());
  LongEnergyReport report;
  report.period = period_of(problem).value();
  report.dt = report.period / static_cast<Real>(steps_per_period);
  const auto h = static_cast<double>(report.dt);
  Simulation<double> simulation(method, problem, h, options);
  EnergySpread first(problem, 10 * steps_per_period), last(problem, 10 * steps_per_period);
  for (std::uint64_t step = 0; step < periods * steps_per_period; ++step) {
    simulation.step(h);
    if (!is_bounded(simulation.state())) {
      report.blew_up_at = step + 1;
      break;
    }
    if (step < 10 * steps_per_period) first.add(simulation.state());
    if (step >= (periods - 10) * steps_per_period) last.add(simulation.state());
    if (progress && step % steps_per_period == 0) progress(step / steps_per_period);
  }
  report.first_max = first.max;
  if (!report.blew_up_at) {
    report.last_max = last.max;
    report.mean_change = last.mean - first.mean;
  }
  report.evaluations = simulation.evaluations();
  return report;
}

}  // namespace orrery::lab
