// Owns what is measured over many runs: order, limits of stability, energy over long times.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "client/lab/run.h"

namespace orrery::lab {

struct OrderPoint {
  std::uint64_t steps = 0;
  Real dt = 0;
  Real error = 0;             // of x and v together, at the end
  std::optional<Real> slope;  // log2 of the error of twice the step over this one
};

struct OrderReport {
  Real time = 0;
  std::vector<OrderPoint> points;
  std::optional<Real> slope;  // of the last halving whose error is well above rounding
};

// Runs over the problem's own time with 16, 32, ... steps, in extended precision.
OrderReport measure_order(const std::string& method, const Problem& problem,
                          const MethodOptions& options = {}, std::uint64_t steps_max = 65'536);

// How long an order is measured on this problem: 10, 7 on kepler (a little more than one orbit).
Real natural_time(const Problem& problem);

// What one step of h does to a linear problem of one coordinate: columns from (1, 0) and (0, 1),
// less what a constant force does to (0, 0). For methods whose step depends on the state alone.
struct StepMatrix {
  Real xx, xv, vx, vv;

  Real determinant() const { return xx * vv - xv * vx; }
  Real spectral_radius() const;
  // The angle by which a step turns the phase plane; the matrix must have complex eigenvalues.
  Real angle() const;
};
StepMatrix step_matrix(const std::string& method, const Problem& problem, Real h,
                       const MethodOptions& options = {});

// ln of the factor by which one step of h enlarges a solution, in the long run. For linear problems
// of one coordinate: from the matrix of a step if a step depends on the state alone, else from the
// growth over `steps` steps. A constant force is left out, and of drag alone the position.
Real growth_rate(const std::string& method, const Problem& problem, Real h,
                 const MethodOptions& options = {}, std::uint64_t steps = 16'000);

struct StabilityReport {
  std::optional<Real> limit;  // largest stable h; none if there is no unstable one below `tried`
  Real tried = 0;             // the largest h that was tried
  Real scale = 0;             // the rate of the problem: omega, or b of drag alone
};

// By bisection; 0 if the smallest steps are unstable already.
StabilityReport measure_stability(const std::string& method, const Problem& problem,
                                  const MethodOptions& options = {});

// An error where the limit would have no meaning: forces that are not linear in one coordinate.
Status check_stability_problem(const Problem& problem);

struct LongEnergyReport {
  Real period = 0;
  Real dt = 0;
  Real first_max = 0;               // largest |E/E0 - 1| over the first ten periods
  std::optional<Real> last_max;     // over the last ten, if the run got there
  std::optional<Real> mean_change;  // mean of E/E0 over the last ten less that over the first ten
  std::uint64_t evaluations = 0;
  std::optional<std::uint64_t> blew_up_at;  // the step, as for a run
};

// Follows the energy over many periods, in binary64. `progress` is told how many are done.
LongEnergyReport measure_energy(const std::string& method, const Problem& problem,
                                std::uint64_t steps_per_period, std::uint64_t periods,
                                const MethodOptions& options = {},
                                const std::function<void(std::uint64_t)>& progress = {});

// The period of a problem that has one and keeps its energy, if that is not 0; an error for others.
Result<Real> period_of(const Problem& problem);

}  // namespace orrery::lab
