// Measures a run: a method on a problem, compared with the exact solution.
#include "client/lab/run.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "client/lab/exact.h"
#include "client/lab/random_steps.h"
#include "client/lab/simulation.h"

namespace orrery::lab {

namespace {

constexpr Real kTurn = 2 * std::numbers::pi_v<Real>;

bool is_sound(std::span<const Real> values) {
  return std::all_of(values.begin(), values.end(), [](Real value) {
    return std::isfinite(value) && std::fabs(value) <= kBlownUp;
  });
}

Real squared_distance(std::span<const Real> a, std::span<const Real> b) {
  Real sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

// Measures a series of errors: the largest, the root of the mean square, and the last. add() takes
// the square of an error.
class ErrorMeter {
 public:
  void add(Real square) {
    size_.final = std::sqrt(square);
    size_.max = std::max(size_.max, size_.final);
    sum_ += square;
    ++count_;
  }
  ErrorSize size() const {
    ErrorSize size = size_;
    if (count_ > 0) size.rms = std::sqrt(sum_ / static_cast<Real>(count_));
    return size;
  }

 private:
  ErrorSize size_;
  Real sum_ = 0;
  std::uint64_t count_ = 0;
};

class EnergyMeter {
 public:
  explicit EnergyMeter(std::optional<Real> start) : start_(start.value_or(0)) {}

  void add(std::optional<Real> now) {
    if (start_ == 0 || !now) return;
    ratio_.last = *now / start_;
    ratio_.min = std::min(ratio_.min, ratio_.last);
    ratio_.max = std::max(ratio_.max, ratio_.last);
    sum_ += ratio_.last;
    ++count_;
  }
  std::optional<EnergyRatio> ratio() const {
    if (start_ == 0) return std::nullopt;
    EnergyRatio ratio = ratio_;
    if (count_ > 0) ratio.mean = sum_ / static_cast<Real>(count_);
    return ratio;
  }

 private:
  Real start_;
  EnergyRatio ratio_;
  Real sum_ = 0;
  std::uint64_t count_ = 0;
};

// The difference of two angles, whole turns included. Whole turns are counted correctly if the
// difference changes by less than half a turn per step.
class PhaseMeter {
 public:
  void add(std::optional<Real> numeric, std::optional<Real> exact) {
    if (!numeric || !exact) return;
    const Real difference = *numeric - *exact;
    const Real last = ahead_.value_or(0);
    ahead_ = difference + kTurn * std::nearbyint((last - difference) / kTurn);
  }
  std::optional<Real> ahead() const { return ahead_; }

 private:
  std::optional<Real> ahead_;
};

// Runs all steps, or until `visit` returns false. Calls `visit` after each step. Returns the number
// of force evaluations.
template <class T, class Visit>
std::uint64_t drive(const RunSetup& setup, Visit visit) {
  const T part = static_cast<T>(setup.substeps);
  Steps<T> steps(static_cast<T>(setup.dt), setup.seed);
  T h = steps.next();
  Simulation<T> simulation(setup.method, setup.problem, h / part, setup.options);
  std::vector<Real> x(setup.problem.x0), v(setup.problem.v0);
  Real time = 0;
  for (std::uint64_t i = 1; i <= setup.steps; ++i) {
    simulation.steps(h / part, setup.substeps);
    time += static_cast<Real>(h / part) * static_cast<Real>(setup.substeps);
    const auto& state = simulation.state();
    std::copy(state.x.begin(), state.x.end(), x.begin());
    std::copy(state.v.begin(), state.v.end(), v.begin());
    if (!visit(i, time, x, v)) break;
    h = steps.next();
  }
  return simulation.evaluations();
}

std::uint64_t drive_in_precision(const RunSetup& setup, auto visit) {
  switch (setup.precision) {
    case Precision::binary32:
      return drive<float>(setup, visit);
    case Precision::binary64:
      return drive<double>(setup, visit);
    default:
      return drive<Real>(setup, visit);
  }
}

// All measurements of a run.
class Meters {
 public:
  explicit Meters(const Problem& problem)
      : problem_(problem),
        exact_x_(problem.x0),
        exact_v_(problem.v0),
        energy_(energy(problem, problem.x0, problem.v0)) {
    report_.x = problem.x0;
    report_.v = problem.v0;
    phase_.add(phase(problem, problem.x0, problem.v0), phase(problem, problem.x0, problem.v0));
  }

  bool visit(std::uint64_t step, Real t, const std::vector<Real>& x, const std::vector<Real>& v) {
    if (!is_sound(x) || !is_sound(v)) {
      report_.blew_up_at = step;
      return false;
    }
    report_.time = t;
    report_.x = x;
    report_.v = v;
    exact_state(problem_, t, exact_x_, exact_v_);
    const Real square = squared_distance(x, exact_x_);
    position_.add(square);
    state_.add(square + squared_distance(v, exact_v_));
    energy_.add(energy(problem_, x, v));
    phase_.add(phase(problem_, x, v), phase(problem_, exact_x_, exact_v_));
    return true;
  }

  RunReport report() const {
    RunReport report = report_;
    report.exact_x = exact_x_;
    report.exact_v = exact_v_;
    report.position = position_.size();
    report.state = state_.size();
    report.energy = energy_.ratio();
    report.phase_error = phase_.ahead();
    return report;
  }

 private:
  const Problem& problem_;
  std::vector<Real> exact_x_, exact_v_;
  ErrorMeter position_, state_;
  EnergyMeter energy_;
  PhaseMeter phase_;
  RunReport report_;
};

}  // namespace

Status check_setup(const RunSetup& setup) {
  if (!std::isfinite(setup.dt) || !(setup.dt > 0) || setup.dt > 1e6L) {
    return Error::at("--dt", ": must be a finite number of seconds above 0, at most 1e6");
  }
  // With smaller steps, rounding in binary32 would remove the effect of a step, and the squares of
  // still smaller steps would underflow.
  if (setup.dt < 1e-15L) return Error::at("--dt", ": must be at least 1e-15");
  if (setup.steps < 1 || setup.steps > kStepsMax) {
    return Error::at("--steps", ": must be from 1 to 1000000000");
  }
  if (setup.substeps < 1 || setup.substeps > kSubstepsMax) {
    return Error::at("--substeps", ": must be from 1 to 10000");
  }
  if (setup.steps > kStepsMax / setup.substeps) {
    return Error::at("--substeps", ": times --steps must be at most 1000000000");
  }
  if (setup.seed && needs_equal_steps(setup.method)) {
    return Error::at("--random-dt",
                     ": " + setup.method + " needs equal steps; use velocity-verlet or tcv-full");
  }
  return ok_status();
}

RunReport run(const RunSetup& setup) {
  Meters meters(setup.problem);
  const std::uint64_t evaluations =
      drive_in_precision(setup, [&meters](std::uint64_t step, Real t, const auto& x,
                                          const auto& v) { return meters.visit(step, t, x, v); });
  RunReport report = meters.report();
  report.evaluations = evaluations;
  return report;
}

void observe_run(const RunSetup& setup, const Observer& observe) {
  observe(0, setup.problem.x0, setup.problem.v0);
  drive_in_precision(setup, [&observe](std::uint64_t, Real t, const auto& x, const auto& v) {
    if (!is_sound(x) || !is_sound(v)) return false;
    observe(t, x, v);
    return true;
  });
}

}  // namespace orrery::lab
