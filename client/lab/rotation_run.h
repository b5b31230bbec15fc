// Owns measured runs of free rotation: energy, momentum and flips of a body that nothing touches.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "client/lab/problem.h"
#include "common/integrate/rotation_algebra.h"

namespace orrery::lab {

using integrate::RotationState;
using integrate::Triple;

struct RotationMethodInfo {
  std::string_view name;
  std::string_view title;
  int order;  // of the attitude
  std::string_view energy;
  std::string_view source;
};

std::span<const RotationMethodInfo> rotation_methods();

template <class T>
class Rotator {
 public:
  virtual ~Rotator() = default;
  virtual void start(const RotationState<T>& state, const Triple<T>& inertia, T h) = 0;
  virtual void step(RotationState<T>& state, const Triple<T>& inertia, T h) = 0;
};

// The method of that name, which there must be. T is float, double or long double.
template <class T>
std::unique_ptr<Rotator<T>> make_rotator(std::string_view name);

// A body at rest in its attitude's frame that spins with `omega`, body coordinates.
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
};

struct RotationReport {
  double energy_last = 1;       // E/E0 at the end
  double energy_error_max = 0;  // largest |E/E0 - 1|
  double momentum_last = 1;     // |L|/|L0| at the end
  double momentum_error_max = 0;
  double direction_error_max = 0;  // of L in the world, rad
  std::uint64_t rising_steps = 0;  // steps after which the energy is more than rounding higher
  std::uint64_t flips = 0;         // changes of sign of the spin about the middle axis
  std::optional<double> first_flip;
  RotationState<double> last{};
  std::optional<std::uint64_t> blew_up_at;  // not finite, or 1e12 times the energy
};

// An error if the method is unknown, or inertia, spin or step make no sense.
Status check_rotation(const RotationSetup& setup);

RotationReport run_rotation(const RotationSetup& setup);

// Calls `observe` at the start and after each step with the time and the spin in body coordinates.
void observe_rotation(const RotationSetup& setup,
                      const std::function<void(double, const Triple<double>&)>& observe);

// The exact motion about the middle axis, by elliptic functions: the time between flips and how
// many there are by a time. Nothing if it never flips, as on a symmetric body.
struct FlipClock {
  Real interval = 0;
  Real first = 0;

  std::uint64_t flips_by(Real time) const;
};
std::optional<FlipClock> exact_flips(const Triple<double>& inertia, const Triple<double>& omega);

}  // namespace orrery::lab
