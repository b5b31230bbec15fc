// Position Verlet for steps of changing length, in the published form and fully corrected.
//
// Jonathan Dummer, "A Simple Time-Corrected Verlet Integration Method", GameDev.net, 2005. Equation
// numbers refer to that article. V is the type of a position (a scalar or a vector), T the scalar
// type.
#pragma once

namespace orrery::integrate {

// The form of the correction for a change of the step length from dtp to dt. dtp is the previous
// step. x-1, x0 and x1 are the previous, present and next position, and a is the acceleration at
// x0.
enum class TimeCorrection {
  // Equation (7): x1 = x0 + (x0 - x-1) dt/dtp + a dt dt. Order 1 if dt changes. With u = (x0 -
  // x-1)/dtp the equation is u1 = u0 + a dt, x1 = x0 + dt u1. This is semi-implicit Euler, started
  // from the velocity v0 - a0 dt0/2. A change of the step from dtp to dt leaves a permanent error
  // of a (dt - dtp)/2 in the velocity.
  published,
  // x1 = x0 + (x0 - x-1) dt/dtp + a (dt + dtp)/2 dt. The quotient (x0 - x-1)/dtp is the mean
  // velocity of the previous step. The acceleration acts from the middle of that step to the middle
  // of this one. Order 2. The positions equal those of velocity Verlet with the same steps, except
  // for rounding. Exact if the acceleration is constant.
  full,
};

// Returns the position one step dt before a start with velocity v and acceleration a. This is
// equation (2), with the acceleration at the start. Leaving out its last term would make the error
// of the whole run of order 1.
template <class V, class T>
constexpr V position_before(const V& x, const V& v, const V& a, T dt) {
  return x - dt * v + (dt * dt / 2) * a;
}

// Returns the position at the time dt after x. `previous` is the position at the time previous_dt
// before x, and `a` is the acceleration at x.
//
// At constant dt both forms equal position Verlet, bit for bit, because dt / dt is 1. They are then
// of order 2, symplectic, and stable below dt w = 2 on an oscillator of angular frequency w. With
// changing dt neither is symplectic. Over long runs the energy wanders with `full` and grows with
// `published`. dt / dtp magnifies the rounding error of x0 - x-1. No step should therefore be more
// than some 100,000 times as long as the previous one.
template <class V, class T>
constexpr V time_corrected_verlet(const V& x, const V& previous, const V& a, T dt, T previous_dt,
                                  TimeCorrection correction) {
  const T lasting = correction == TimeCorrection::full ? (dt + previous_dt) / 2 : dt;
  return x + (dt / previous_dt) * (x - previous) + (lasting * dt) * a;
}

}  // namespace orrery::integrate
