// Measures the rotation of a body that is free, or rolls with resistance.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "client/lab/problem.h"
#include "common/integrate/rotation_algebra.h"

namespace orrery::lab {

using integrate::RotationState;
using integrate::Triple;

// A rotation method and the data that it keeps between steps. start() prepares for steps of h from
// a state, and may be called again.
template <class T>
class Rotator {
 public:
  virtual ~Rotator() = default;
  virtual void start(const RotationState<T>& state, const Triple<T>& inertia, T h) = 0;
  virtual void step(RotationState<T>& state, const Triple<T>& inertia, T h) = 0;
};

// Returns a method. T is float, double or long double. REQUIRES: a name of kRotationMethods
// (common/integrate/catalogue.h).
template <class T>
std::unique_ptr<Rotator<T>> make_rotator(std::string_view name);

// Returns the state of a body with its axes along the axes of the world. `omega` is its angular
// velocity in body coordinates.
template <class T>
RotationState<T> spinning(const Triple<T>& inertia, const Triple<T>& omega) {
  RotationState<T> state{{0, 0, 0}, {0, 0, 0, 1}};
  for (std::size_t i = 0; i < 3; ++i) state.l[i] = inertia[i] * omega[i];
  return state;
}

struct RotationSetup {
  std::string_view method;
  Triple<double> inertia{};
  Triple<double> omega{};
  double dt = 0;
  std::uint64_t steps = 0;
  double rolling = 0;  // rolling resistance: share of the initial |L| that it removes per second
};

struct RotationReport {
  double energy_last = 1;       // E/E0 at the end
  double energy_error_max = 0;  // largest |E/E0 - 1|
  double momentum_last = 1;     // |L|/|L0| at the end
  double momentum_error_max = 0;
  double direction_error_max = 0;    // largest angle between L and L0 in the world, in radians
  std::uint64_t rising_steps = 0;    // steps in which the energy rises by more than rounding
  std::uint64_t flips = 0;           // sign changes of the spin about the axis of middle inertia
  std::optional<double> first_flip;  // time of the first flip, in seconds
  RotationState<double> last{};
  // number of the step after which the energy is not finite, or above 1e12 times the initial energy
  std::optional<std::uint64_t> blew_up_at;
};

// Returns an error for an unknown method, or for a wrong inertia, spin, step, number of steps or
// resistance.
Status check_rotation(const RotationSetup& setup);

RotationReport run_rotation(const RotationSetup& setup);

// Calls `observe` with the time and the spin in body coordinates, at the start and after each step.
// Stops before the first spin that is not finite, and after the first of 1e12 rad/s or more.
void observe_rotation(const RotationSetup& setup,
                      const std::function<void(double, const Triple<double>&)>& observe);

// The exact times of flips: sign changes of the spin about the axis of middle inertia. The first
// flip is at `first`, and all later ones follow at equal intervals, in seconds.
struct FlipClock {
  Real interval = 0;
  Real first = 0;

  std::uint64_t flips_by(Real time) const;
};
// Returns the flips of a free body by elliptic functions; nothing if it never flips, for example
// because it is symmetric.
std::optional<FlipClock> exact_flips(const Triple<double>& inertia, const Triple<double>& omega);

}  // namespace orrery::lab
