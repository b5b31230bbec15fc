// Measures a run: a method on a problem, compared with the exact solution.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "client/lab/method.h"
#include "client/lab/problem.h"

namespace orrery::lab {

// The type in which the method computes. Exact motions and errors are always computed in Real.
enum class Precision { binary32, binary64, extended };

inline constexpr std::uint64_t kStepsMax = 1'000'000'000;
inline constexpr std::uint64_t kSubstepsMax = 10'000;
// A run has blown up if the magnitude of a number in its state is larger than this, or the number
// is not finite.
inline constexpr double kBlownUp = 1e100;

struct RunSetup {
  std::string method;
  MethodOptions options;
  Problem problem;
  Real dt = 0;
  std::uint64_t steps = 0;
  std::uint64_t substeps = 1;           // equal parts of each step
  std::optional<std::uint64_t> seed{};  // seed of random steps (random_steps.h); none: equal steps
  Precision precision = Precision::binary64;
};

// Returns an error for a wrong dt, steps or substeps, or for random steps with a method that needs
// equal ones.
Status check_setup(const RunSetup& setup);

// Sizes of the errors at all steps: the largest, the root of the mean square, and the last.
struct ErrorSize {
  Real max = 0;
  Real rms = 0;
  Real final = 0;
};

struct EnergyRatio {
  Real last = 1;
  Real mean = 1;
  Real min = 1;
  Real max = 1;
};

struct RunReport {
  Real time = 0;
  std::vector<Real> x, v, exact_x, exact_v;
  ErrorSize position;  // error of x
  ErrorSize state;     // error of x and v together
  // E/E0; none if the initial energy E0 is 0 or the force depends on time.
  std::optional<EnergyRatio> energy;
  // Phase error in radians, including whole turns; positive if the run is ahead of the exact
  // motion. None for problems without a phase() (exact.h).
  std::optional<Real> phase_error;
  std::uint64_t evaluations = 0;
  std::optional<std::uint64_t> blew_up_at;  // number of the step that blew up
};

// Runs the setup. If the run blows up, the report covers the steps before.
RunReport run(const RunSetup& setup);

// Calls `observe` at the start and after each step, until the end or until the run blows up.
using Observer = std::function<void(Real t, std::span<const Real> x, std::span<const Real> v)>;
void observe_run(const RunSetup& setup, const Observer& observe);

}  // namespace orrery::lab
