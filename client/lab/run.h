// Owns a measured run: a method on a problem against the exact solution.
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

// What the method computes in; references are in Real.
enum class Precision { binary32, binary64, extended };

inline constexpr std::uint64_t kStepsMax = 1'000'000'000;
inline constexpr std::uint64_t kSubstepsMax = 10'000;
// A run has blown up if a number of its state is not finite or larger than this.
inline constexpr double kBlownUp = 1e100;

struct RunSetup {
  std::string method;
  MethodOptions options;
  Problem problem;
  Real dt = 0;
  std::uint64_t steps = 0;
  std::uint64_t substeps = 1;           // steps of dt / substeps within each
  std::optional<std::uint64_t> seed{};  // random steps, see random_steps.h
  Precision precision = Precision::binary64;
};

// Checks dt, steps, substeps and whether the method takes random steps.
Status check_setup(const RunSetup& setup);

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
  ErrorSize position;                 // of x
  ErrorSize state;                    // of x and v together
  std::optional<EnergyRatio> energy;  // against the start; none where that is 0
  std::optional<Real> phase_error;    // how far ahead of the exact motion, all turns counted
  std::uint64_t evaluations = 0;
  std::optional<std::uint64_t> blew_up_at;  // the step whose result did
};

// A blown-up run ends, and its report is that of the step before.
RunReport run(const RunSetup& setup);

// Calls `observe` at the start and after each step, until the end or the run blows up.
using Observer = std::function<void(Real t, std::span<const Real> x, std::span<const Real> v)>;
void observe_run(const RunSetup& setup, const Observer& observe);

}  // namespace orrery::lab
