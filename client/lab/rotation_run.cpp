// Measures the rotation of a body that is free, or rolls with resistance.
#include "client/lab/rotation_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "client/lab/elliptic.h"
#include "client/lab/library_functions.h"
#include "client/lab/methods/lie_rotation.h"
#include "client/lab/methods/rolling_resistance.h"
#include "client/lab/methods/splitting.h"
#include "client/lab/run.h"
#include "common/core/nearest.h"
#include "common/integrate/catalogue.h"
#include "common/integrate/gyroscopic.h"
#include "common/integrate/momentum.h"

namespace orrery::lab {

namespace {

using namespace orrery::integrate;

constexpr int kNewtonIterations = 20;

template <class T, class Method>
class RotatorOf final : public Rotator<T> {
 public:
  template <class... Arguments>
  explicit RotatorOf(Arguments... arguments) : method_(arguments...) {}

  void start(const RotationState<T>& state, const Triple<T>& inertia, T h) override {
    method_.start(state, inertia, h);
  }
  void step(RotationState<T>& state, const Triple<T>& inertia, T h) override {
    method_.step(state, inertia, h);
  }

 private:
  Method method_;
};

template <class T, class Method, class... Arguments>
std::unique_ptr<Rotator<T>> new_rotator(Arguments... arguments) {
  return std::make_unique<RotatorOf<T, Method>>(arguments...);
}

template <class T>
struct RotatorEntry {
  std::string_view name;
  std::unique_ptr<Rotator<T>> (*make)();
};

template <class T>
constexpr auto rotator_makers() {
  using Implicit = ImplicitGyroscopic<T>;
  return std::to_array<RotatorEntry<T>>({
      {"cayley", [] { return new_rotator<T, CayleyMidpoint<T>>(); }},
      {"explicit", [] { return new_rotator<T, ExplicitGyroscopic<T>>(); }},
      {"dropped", [] { return new_rotator<T, DroppedGyroscopic<T>>(); }},
      {"momentum", [] { return new_rotator<T, MomentumOldInertia<T>>(); }},
      {"implicit-gyro", [] { return new_rotator<T, Implicit>(1); }},
      {"implicit-gyro-converged", [] { return new_rotator<T, Implicit>(kNewtonIterations); }},
      {"implicit-gyro-midpoint", [] { return new_rotator<T, ImplicitGyroscopicMidpoint<T>>(); }},
      {"buss", [] { return new_rotator<T, BussAugmented<T>>(library_functions<T>()); }},
      {"momentum-midpoint",
       [] { return new_rotator<T, MomentumMidpoint<T>>(library_functions<T>()); }},
      {"rk4", [] { return new_rotator<T, RotationRungeKutta4<T>>(); }},
      {"splitting",
       [] { return new_rotator<T, TrigonometricSplitting<T>>(library_functions<T>()); }},
      {"cayley4", [] { return new_rotator<T, CayleyMidpoint4<T>>(); }},
      {"moser-veselov", [] { return new_rotator<T, MoserVeselov<T>>(); }},
      {"lie-midpoint", [] { return new_rotator<T, LieMidpoint<T>>(library_functions<T>()); }},
  });
}

constexpr bool are_those_of_the_catalogue() {
  const auto all = rotator_makers<double>();
  return std::equal(all.begin(), all.end(), kRotationMethods.begin(), kRotationMethods.end(),
                    [](const auto& entry, const auto& row) { return entry.name == row.name; });
}
static_assert(are_those_of_the_catalogue(), "common/integrate/catalogue.h has other rotations");

double kinetic_energy(const RotationState<double>& state, const Triple<double>& inertia) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) sum += state.l[i] * state.l[i] / inertia[i];
  return sum / 2;
}

double length(const Triple<double>& v) { return std::sqrt(dot(v, v)); }

// Returns the angle between two vectors, accurate for small angles too.
double angle_between(const Triple<double>& a, const Triple<double>& b) {
  return std::atan2(length(cross(a, b)), dot(a, b));
}

// Returns the indices of the axes with the least, middle and greatest moment of inertia.
std::array<std::size_t, 3> sorted_axes(const Triple<double>& inertia) {
  std::array<std::size_t, 3> axes{0, 1, 2};
  std::stable_sort(axes.begin(), axes.end(),
                   [&](std::size_t a, std::size_t b) { return inertia[a] < inertia[b]; });
  return axes;
}

class RotationMeter {
 public:
  RotationMeter(const RotationState<double>& start, const Triple<double>& inertia)
      : inertia_(inertia),
        middle_(sorted_axes(inertia)[1]),
        energy_(kinetic_energy(start, inertia)),
        world_(turned(attitude(start), momentum(start))),
        spin_(start.l[middle_]) {}

  bool visit(std::uint64_t step, double time, const RotationState<double>& state) {
    const double ratio = kinetic_energy(state, inertia_) / energy_;
    if (!std::isfinite(ratio) || ratio > 1e12) {
      report.blew_up_at = step;
      return false;
    }
    if (ratio > report.energy_last * (1 + 1e-13)) ++report.rising_steps;
    report.energy_last = ratio;
    report.energy_error_max = std::max(report.energy_error_max, std::fabs(ratio - 1));
    const Triple<double> l = momentum(state);
    report.momentum_last = length(l) / length(world_);
    report.momentum_error_max =
        std::max(report.momentum_error_max, std::fabs(report.momentum_last - 1));
    const double away = angle_between(turned(attitude(state), l), world_);
    report.direction_error_max = std::max(report.direction_error_max, away);
    if (state.l[middle_] * spin_ < 0) {
      ++report.flips;
      if (!report.first_flip) report.first_flip = time;
    }
    if (state.l[middle_] != 0) spin_ = state.l[middle_];
    report.last = state;
    return true;
  }

  RotationReport report;

 private:
  Triple<double> inertia_;
  std::size_t middle_;
  double energy_;
  Triple<double> world_;
  double spin_;
};

void rotate(const RotationSetup& setup, auto visit) {
  RotationState<double> state = spinning(setup.inertia, setup.omega);
  const auto rotator = make_rotator<double>(setup.method);
  rotator->start(state, setup.inertia, setup.dt);
  const double impulse = setup.rolling * length(momentum(state)) * setup.dt;
  for (std::uint64_t i = 1; i <= setup.steps; ++i) {
    rotator->step(state, setup.inertia, setup.dt);
    if (impulse > 0) {
      resist_rolling(state, impulse);
      rotator->start(state, setup.inertia, setup.dt);  // some methods keep a copy of the momentum
    }
    if (!visit(i, static_cast<double>(i) * setup.dt, state)) return;
  }
}

}  // namespace

template <class T>
std::unique_ptr<Rotator<T>> make_rotator(std::string_view name) {
  static constexpr auto kMakers = rotator_makers<T>();
  const auto found =
      std::find_if(kMakers.begin(), kMakers.end(),
                   [name](const RotatorEntry<T>& entry) { return entry.name == name; });
  ORRERY_ASSERT(found != kMakers.end());
  return found->make();
}

template std::unique_ptr<Rotator<float>> make_rotator<float>(std::string_view);
template std::unique_ptr<Rotator<double>> make_rotator<double>(std::string_view);
template std::unique_ptr<Rotator<Real>> make_rotator<Real>(std::string_view);

Status check_rotation(const RotationSetup& setup) {
  std::vector<std::string_view> names;
  for (const RotationMethod& method : kRotationMethods) names.push_back(method.name);
  if (std::find(names.begin(), names.end(), setup.method) == names.end()) {
    return Error::at("--method", ": " + unknown_name("rotation method", setup.method, names));
  }
  const auto& i = setup.inertia;
  const auto sensible = [](double value) { return value > 0 && value <= 1e9; };
  if (!std::all_of(i.begin(), i.end(), sensible)) {
    return Error::at("--inertia", ": must be three numbers above 0, at most 1e9");
  }
  const double sum = i[0] + i[1] + i[2];
  if (2 * *std::max_element(i.begin(), i.end()) > sum * (1 + 1e-12)) {
    return Error::at("--inertia", ": no moment may be greater than the sum of the two others");
  }
  const auto bounded = [](double value) { return std::isfinite(value) && std::fabs(value) <= 1e6; };
  if (!std::all_of(setup.omega.begin(), setup.omega.end(), bounded) || length(setup.omega) == 0) {
    return Error::at("--omega", ": must be three finite numbers of at most 1e6, not all 0");
  }
  if (!std::isfinite(setup.dt) || !(setup.dt >= 1e-15) || setup.dt > 1e6) {
    return Error::at("--dt", ": must be a finite number of seconds above 0, at most 1e6");
  }
  if (setup.steps < 1 || setup.steps > kStepsMax) {
    return Error::at("--steps", ": must be from 1 to 1000000000");
  }
  if (!(setup.rolling >= 0 && setup.rolling <= 1e6)) {
    return Error::at("--rolling", ": must be a number from 0 to 1e6");
  }
  return ok_status();
}

RotationReport run_rotation(const RotationSetup& setup) {
  const RotationState<double> start = spinning(setup.inertia, setup.omega);
  RotationMeter meter(start, setup.inertia);
  meter.report.last = start;
  rotate(setup, [&meter](std::uint64_t i, double time, const RotationState<double>& state) {
    return meter.visit(i, time, state);
  });
  return meter.report;
}

void observe_rotation(const RotationSetup& setup,
                      const std::function<void(double, const Triple<double>&)>& observe) {
  observe(0, setup.omega);
  rotate(setup, [&](std::uint64_t, double time, const RotationState<double>& state) {
    const Triple<double> omega = divided(momentum(state), setup.inertia);
    if (!std::isfinite(omega[0] + omega[1] + omega[2])) return false;
    observe(time, omega);
    return length(omega) < 1e12;
  });
}

std::uint64_t FlipClock::flips_by(Real time) const {
  if (time < first) return 0;
  return 1 + static_cast<std::uint64_t>(std::floor((time - first) / interval));
}

// The spin about the axis of middle inertia is its maximum times sn(lambda t), with t = 0 at a flip
// (Landau, Lifshitz, Mechanics, section 37).
std::optional<FlipClock> exact_flips(const Triple<double>& inertia, const Triple<double>& omega) {
  std::array<std::size_t, 3> axes = sorted_axes(inertia);
  Real energy2 = 0, momentum2 = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const Real i = inertia[k], w = omega[k];
    energy2 += i * w * w;
    momentum2 += i * i * w * w;
  }
  if (momentum2 < energy2 * static_cast<Real>(inertia[axes[1]])) std::swap(axes[0], axes[2]);
  const Real i1 = inertia[axes[0]], i2 = inertia[axes[1]], i3 = inertia[axes[2]];
  const Real above = momentum2 - energy2 * i1, below = energy2 * i3 - momentum2;
  if (i1 == i2 || i2 == i3 || below == 0) return std::nullopt;
  const Real k = std::sqrt((i2 - i1) * below / ((i3 - i2) * above));
  if (!(k < 1)) return std::nullopt;
  const Real lambda = std::sqrt((i3 - i2) * above / (i1 * i2 * i3));
  const Real largest = std::sqrt(below / (i2 * (i3 - i2)));
  const Real spin = std::clamp(omega[axes[1]] / largest, Real(-1), Real(1));
  // The spin about the middle axis obeys I2 w2' = (I3 - I1) w3 w1 if axes 1, 2, 3 are right-handed.
  // Otherwise the right side changes its sign.
  const Real turning = (axes[1] + 1) % 3 == axes[2] ? 1 : -1;
  const Real rate = turning * (i3 - i1) * omega[axes[2]] * omega[axes[0]];
  const Real half = 2 * complete_integral(k);
  const Real from_zero = incomplete_integral(std::asin(std::fabs(spin)), k);
  const bool growing = rate * spin > 0;
  const Real elapsed = growing ? from_zero : half - from_zero;
  return FlipClock{half / lambda, (half - elapsed) / lambda};
}

}  // namespace orrery::lab
