// The exact solutions of the problems, with their energies and phases.
#include "client/lab/exact.h"

#include <cmath>
#include <numbers>

#include "client/lab/elliptic.h"

namespace orrery::lab {

namespace {

// Solves x'' = g - k x - b v. The displacement from the rest point g/k is y = e^(-bt/2) (y0 c +
// (v0 + b y0/2) s). The functions c and s are:
// - cos wt and sin wt / w if the motion oscillates,
// - 1 and t if it is critically damped,
// - cosh wt and sinh wt / w if it is overdamped or k is negative.
void oscillate(const Problem& problem, Real t, Real& x, Real& v) {
  const Real rest = problem.constant / problem.stiffness;
  const Real half = problem.drag / 2;
  const Real square = problem.stiffness - half * half;
  const Real w = std::sqrt(std::fabs(square));
  const Real y0 = problem.x0[0] - rest;
  const Real v0 = problem.v0[0];
  Real c = 1, s = t;
  if (square > 0) {
    c = std::cos(w * t);
    s = std::sin(w * t) / w;
  } else if (square < 0) {
    c = std::cosh(w * t);
    s = std::sinh(w * t) / w;
  }
  const Real decay = std::exp(-half * t);
  x = rest + decay * (y0 * c + (v0 + half * y0) * s);
  v = decay * (v0 * c - (problem.stiffness * y0 + half * v0) * s);
}

// Solves x'' = g - b v.
void slide(const Problem& problem, Real t, Real& x, Real& v) {
  const Real b = problem.drag;
  const Real v0 = problem.v0[0];
  if (b == 0) {
    x = problem.x0[0] + v0 * t + problem.constant * t * t / 2;
    v = v0 + problem.constant * t;
    return;
  }
  const Real terminal = problem.constant / b;
  const Real gone = -std::expm1(-b * t);  // 1 - e^(-bt)
  x = problem.x0[0] + terminal * t + (v0 - terminal) * gone / b;
  v = terminal + (v0 - terminal) * (1 - gone);
}

void force_in_time(const Problem& problem, Real t, Real& x, Real& v) {
  const Real x0 = problem.x0[0];
  const Real v0 = problem.v0[0];
  if (problem.form == Form::polynomial) {
    const Real c = problem.constant;
    x = x0 + t * (v0 + t * (c / 2 + t * (Real(-0.5) + t / 12)));
    v = v0 + t * (c + t * (Real(-1.5) + t / 3));
  } else if (problem.form == Form::sine) {
    x = x0 + (v0 - 1) * t + std::sin(t);
    v = v0 - 1 + std::cos(t);
  } else {
    x = x0 - 1 + v0 * t + std::cos(t);
    v = v0 - std::sin(t);
  }
}

// Solves the pendulum. k^2 is its energy divided by the energy at rest at the top.
// - k < 1, the pendulum swings: sin(x/2) = k sn(wt + u0, k).
// - k > 1, it goes over the top: x/2 = am(k w t + u0, 1/k), mirrored if it started backwards.
// - k = 1: x/2 = gd(wt + u0), the Gudermannian function, also mirrored if it started backwards.
void swing(const Problem& problem, Real t, Real& x, Real& v) {
  const Real w = std::sqrt(problem.stiffness);
  const Real turns = std::nearbyint(problem.x0[0] / (2 * kRealPi));
  const Real half = (problem.x0[0] - 2 * kRealPi * turns) / 2;
  const Real rate = problem.v0[0] / (2 * w);
  const Real k = std::hypot(std::sin(half), rate);
  const Real sign = rate < 0 ? -1 : 1;
  if (k < 1) {
    const Real start = k == 0 ? 0 : std::atan2(std::sin(half), rate);
    const EllipticFunctions now = jacobi(w * t + incomplete_integral(start, k), k);
    x = 2 * std::asin(k * now.sn);
    v = 2 * w * k * now.cn;
  } else if (k > 1) {
    const Real start = incomplete_integral(sign * half, 1 / k);
    const EllipticFunctions now = jacobi(k * w * t + start, 1 / k);
    x = 2 * sign * now.am;
    v = 2 * sign * w * k * now.dn;
  } else {
    const Real start = std::asinh(std::tan(half)) * sign;
    x = 2 * sign * std::atan(std::sinh(w * t + start));
    v = 2 * sign * w / std::cosh(w * t + start);
  }
  x += 2 * kRealPi * turns;
}

// Solves Kepler's equation M = E - e sin E for the eccentric anomaly E by Newton's method. The
// first guess is M + e sin M. The mean anomaly M equals t.
void orbit(const Problem& problem, Real t, std::span<Real> x, std::span<Real> v) {
  const Real e = 1 - problem.x0[0];
  const Real mean = t;
  Real anomaly = mean + e * std::sin(mean);
  for (int i = 0; i < 60; ++i) {
    const Real step = (anomaly - e * std::sin(anomaly) - mean) / (1 - e * std::cos(anomaly));
    anomaly -= step;
    if (std::fabs(step) < 1e-18L * (1 + std::fabs(anomaly))) break;
  }
  const Real minor = std::sqrt((1 - e) * (1 + e));
  const Real rate = 1 / (1 - e * std::cos(anomaly));
  x[0] = std::cos(anomaly) - e;
  x[1] = minor * std::sin(anomaly);
  v[0] = -rate * std::sin(anomaly);
  v[1] = rate * minor * std::cos(anomaly);
}

// Sums the modes p = 1 to n. In mode p, mass i = 1 to n moves in proportion to sin(i p pi / (n+1)).
// The angular frequency is 2 sqrt(k/m) sin(p pi / (2 (n+1))).
void vibrate(const Problem& problem, Real t, std::span<Real> x, std::span<Real> v) {
  const std::size_t n = problem.dimension();
  const Real step = kRealPi / static_cast<Real>(n + 1);
  for (std::size_t i = 0; i < n; ++i) x[i] = v[i] = 0;
  for (std::size_t p = 1; p <= n; ++p) {
    const auto shape = [&](std::size_t i) {
      return std::sin(static_cast<Real>((i + 1) * p) * step);
    };
    Real amplitude = 0, rate = 0;
    for (std::size_t i = 0; i < n; ++i) {
      amplitude += shape(i) * problem.x0[i] * 2 / static_cast<Real>(n + 1);
      rate += shape(i) * problem.v0[i] * 2 / static_cast<Real>(n + 1);
    }
    const Real w = 2 * std::sqrt(problem.stiffness) * std::sin(static_cast<Real>(p) * step / 2);
    const Real sine_over_w = w == 0 ? t : std::sin(w * t) / w;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += shape(i) * (amplitude * std::cos(w * t) + rate * sine_over_w);
      v[i] += shape(i) * (rate * std::cos(w * t) - amplitude * w * std::sin(w * t));
    }
  }
}

// Adds up the flights of a ball, each of which begins with `kept` of the speed of the one before.
void bounce(const Problem& problem, Real t, Real& x, Real& v) {
  const Real g = -problem.constant;
  Real from = problem.x0[0], up = problem.v0[0];
  const auto impact = [&] { return std::sqrt(up * up + 2 * g * from); };
  for (Real lands; t > (lands = (up + impact()) / g); t -= lands) {
    up = problem.kept * impact();
    from = 0;
    if (up < kRestSpeed) {
      x = v = 0;
      return;
    }
  }
  x = from + t * (up - g * t / 2);
  v = up - g * t;
}

// Returns the sum of the squared elongations of all springs.
Real chain_stretch(std::span<const Real> x) {
  Real sum = x.front() * x.front() + x.back() * x.back();
  for (std::size_t i = 1; i < x.size(); ++i) sum += (x[i] - x[i - 1]) * (x[i] - x[i - 1]);
  return sum;
}

}  // namespace

void exact_state(const Problem& problem, Real t, std::span<Real> x, std::span<Real> v) {
  ORRERY_ASSERT(x.size() == problem.dimension() && v.size() == problem.dimension());
  switch (problem.form) {
    case Form::linear:
      return problem.stiffness != 0 ? oscillate(problem, t, x[0], v[0])
                                    : slide(problem, t, x[0], v[0]);
    case Form::pendulum:
      return swing(problem, t, x[0], v[0]);
    case Form::kepler:
      return orbit(problem, t, x, v);
    case Form::chain:
      return vibrate(problem, t, x, v);
    case Form::bounce:
      return bounce(problem, t, x[0], v[0]);
    default:
      return force_in_time(problem, t, x[0], v[0]);
  }
}

std::optional<Real> energy(const Problem& problem, std::span<const Real> x,
                           std::span<const Real> v) {
  Real kinetic = 0;
  for (Real speed : v) kinetic += speed * speed / 2;
  const Real k = problem.stiffness;
  switch (problem.form) {
    case Form::linear:
    case Form::bounce:
      return kinetic + k * x[0] * x[0] / 2 - problem.constant * x[0];
    case Form::pendulum:
      return kinetic + 2 * k * std::pow(std::sin(x[0] / 2), Real(2));
    case Form::kepler:
      return kinetic - 1 / std::hypot(x[0], x[1]);
    case Form::chain:
      return kinetic + k * chain_stretch(x) / 2;
    default:
      return std::nullopt;
  }
}

std::optional<Real> phase(const Problem& problem, std::span<const Real> x,
                          std::span<const Real> v) {
  if (problem.form == Form::kepler) return std::atan2(x[1], x[0]);
  const Real half = problem.drag / 2;
  const Real square = problem.stiffness - half * half;
  if (problem.form != Form::linear || square <= 0) return std::nullopt;
  const Real y = x[0] - problem.constant / problem.stiffness;
  return std::atan2(-(v[0] + half * y) / std::sqrt(square), y);
}

}  // namespace orrery::lab
