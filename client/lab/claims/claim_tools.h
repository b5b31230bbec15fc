// Helpers for the measurements of claims.
#pragma once

#include <cmath>
#include <initializer_list>
#include <numbers>
#include <string>
#include <vector>

#include "client/lab/analysis.h"
#include "client/lab/claims/claims.h"
#include "client/lab/problem.h"
#include "client/lab/run.h"
#include "client/lab/simulation.h"

namespace orrery::lab {

inline constexpr double kPi = std::numbers::pi;

// Names of methods that several claims compare.
inline constexpr const char* kExact = "kinematic";
inline constexpr const char* kSemiImplicit = "semi-implicit-euler";

inline Problem problem_of(std::string_view name, std::initializer_list<Setting> settings = {}) {
  return make_problem(name, std::vector<Setting>(settings)).value();
}

// A spring to the origin with omega = 1, released at x = 1.
inline Problem oscillator() { return problem_of("oscillator"); }

inline RunReport run_of(const std::string& method, const Problem& problem, Real dt,
                        std::uint64_t steps, Precision precision = Precision::binary64) {
  RunSetup setup;
  setup.method = method;
  setup.problem = problem;
  setup.dt = dt;
  setup.steps = steps;
  setup.precision = precision;
  return run(setup);
}

inline double slope_of(const std::string& method, const std::string& problem,
                       const MethodOptions& options = {}) {
  return static_cast<double>(measure_order(method, problem_of(problem), options).slope.value_or(0));
}

// Measures the order of the method on the oscillator, the damped spring and the Kepler orbit. Each
// measured order must be within `tolerance` of `order`.
inline void note_slopes(Notebook& note, const std::string& method, double order, double tolerance) {
  for (const char* problem : {"oscillator", "damped", "kepler"}) {
    note.near("order of " + method + " on " + problem, slope_of(method, problem), order, tolerance);
  }
}

// Runs for natural_time(), the time over which orders are measured, in `steps` steps. Returns the
// error of x and v together at the end.
inline double error_of(const std::string& method, const Problem& problem, std::uint64_t steps) {
  const Real time = natural_time(problem);
  const RunReport report =
      run_of(method, problem, time / static_cast<Real>(steps), steps, Precision::extended);
  return static_cast<double>(report.state.final);
}

inline double spectral_radius(const std::string& method, const Problem& problem, Real h) {
  return static_cast<double>(step_matrix(method, problem, h).spectral_radius());
}

inline double stability_limit(const std::string& method, const std::string& problem) {
  return static_cast<double>(
      measure_stability(method, problem_of(problem)).limit.value_or(INFINITY));
}

// Statistics of the energy ratio E/E0 of an oscillator that starts at rest, during `steps` steps
// with h * omega = `theta`.
struct EnergyStatistics {
  double mean = 0;
  double min = 1;
  double max = 1;
  double last = 1;
};
EnergyStatistics oscillator_energy(const std::string& method, double theta, std::uint64_t steps);

// Makes a path with backward Euler, then retraces it from its end with explicit Euler and negative
// steps. Each method undoes a step of the other. Returns the largest distance between the paths.
double retrace_distance();

}  // namespace orrery::lab
