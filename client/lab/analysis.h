// Measures methods over many runs: order, stability limits, and energy over long times.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "client/lab/run.h"

namespace orrery::lab {

// One run of a measurement of the order.
struct OrderPoint {
  std::uint64_t steps = 0;
  Real dt = 0;
  Real error = 0;             // Euclidean error of (x, v) at the end of the run
  std::optional<Real> slope;  // log2(error at 2 dt / error at dt); none: first point or error 0
};

struct OrderReport {
  Real time = 0;
  std::vector<OrderPoint> points;
  // The measured order: the slope of the last point whose error is well above rounding.
  std::optional<Real> slope;
};

// Measures the order in extended precision. Divides natural_time() into 16, 32, ... steps, until
// rounding dominates the error or the number of steps would exceed `steps_max`.
OrderReport measure_order(const std::string& method, const Problem& problem,
                          const MethodOptions& options = {}, std::uint64_t steps_max = 65'536);

// Returns the time over which measure_order() runs a problem: 7 for kepler, a little more than one
// orbit, and 10 for all others.
Real natural_time(const Problem& problem);

// The matrix of one step of a linear problem in one coordinate. Its columns are the results of the
// step for the states (1, 0) and (0, 1) of (x, v). Under a constant force the result for (0, 0) is
// not 0; it is subtracted from both. Only methods without memory (has_memory()) have such a matrix.
struct StepMatrix {
  Real xx, xv, vx, vv;

  Real determinant() const { return xx * vv - xv * vx; }
  Real spectral_radius() const;
  // Returns the angle in radians by which a step rotates the phase plane. REQUIRES: complex
  // eigenvalues.
  Real angle() const;
};
StepMatrix step_matrix(const std::string& method, const Problem& problem, Real h,
                       const MethodOptions& options = {});

// Returns the natural logarithm of the factor by which one step of h enlarges a solution in the
// long run.
// - If the method has no memory, the result comes from the matrix of a step.
// - Otherwise it is measured over `steps` steps. The result is then 1 if the run overflows, and -1
//   if the state becomes 0.
// A constant force is ignored. If the problem has no spring, the position is ignored too. REQUIRES:
// a linear problem in one coordinate.
Real growth_rate(const std::string& method, const Problem& problem, Real h,
                 const MethodOptions& options = {}, std::uint64_t steps = 16'000);

struct StabilityReport {
  // Largest stable h. 0: even small h are unstable. None: all h up to `tried` are stable.
  std::optional<Real> limit;
  Real tried = 0;  // upper end of the search
  Real scale = 0;  // rate of the problem: omega, or drag per unit mass without a spring
};

// Searches upwards for the first unstable h, then finds the limit by bisection. REQUIRES:
// check_stability_problem() accepts the problem.
StabilityReport measure_stability(const std::string& method, const Problem& problem,
                                  const MethodOptions& options = {});

// Returns an error if the problem has no stability limit. It has one if it is linear in one
// coordinate, with a positive stiffness, or with drag and no stiffness.
Status check_stability_problem(const Problem& problem);

struct LongEnergyReport {
  Real period = 0;
  Real dt = 0;
  Real first_max = 0;  // largest |E/E0 - 1| over the first ten periods; E0: initial energy
  // largest |E/E0 - 1| over the last ten periods; none: the run blew up
  std::optional<Real> last_max;
  // mean of E/E0 over the last ten periods, less the mean over the first ten
  std::optional<Real> mean_change;
  std::uint64_t evaluations = 0;
  // number of the first step after which |x| or |v| exceeds kBlownUp
  std::optional<std::uint64_t> blew_up_at;
};

// Measures the energy over many periods in binary64. Calls `progress` once in each period, with the
// number of completed periods. REQUIRES: period_of() accepts the problem, periods >= 20 and
// steps_per_period >= 1.
LongEnergyReport measure_energy(const std::string& method, const Problem& problem,
                                std::uint64_t steps_per_period, std::uint64_t periods,
                                const MethodOptions& options = {},
                                const std::function<void(std::uint64_t)>& progress = {});

// Returns the period of a problem. Returns an error if the problem is not periodic or does not
// conserve its energy, or if its energy is 0, because measure_energy() divides by it.
Result<Real> period_of(const Problem& problem);

}  // namespace orrery::lab
