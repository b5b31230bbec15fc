// Owns position Verlet for steps of changing length: as published, and fully corrected.
//
// Jonathan Dummer, "A Simple Time-Corrected Verlet Integration Method", GameDev.net, 2005; the
// numbers of equations are his. V is what moves (a scalar or a vector), T the scalar type.
#pragma once

namespace orrery::integrate {

enum class TimeCorrection {
  // Equation (7): x1 = x0 + (x0 - x-1) dt/dtp + a dt dt.
  // Order 1 if dt changes. With u = (x0 - x-1)/dtp it reads u1 = u0 + a dt, x1 = x0 + dt u1:
  // semi-implicit Euler, started from v0 - a0 dt0/2. A change of the step from dtp to dt leaves
  // an error of the velocity of a (dt - dtp)/2 for good.
  published,
  // x1 = x0 + (x0 - x-1) dt/dtp + a (dt + dtp)/2 dt.
  // u is the mean velocity of the last step, so the acceleration acts from the middle of that step
  // to the middle of this one. Order 2; the positions are those of velocity Verlet with the same
  // steps; exact if the acceleration is constant.
  full,
};

// The position one step dt before a start with velocity v and acceleration a: equation (2), with
// the acceleration of the start. Without its last term a whole run is of order 1.
template <class V, class T>
constexpr V position_before(const V& x, const V& v, const V& a, T dt) {
  return x - dt * v + (dt * dt / 2) * a;
}

// One step: the position dt after x, which itself is `previous_dt` after `previous`. `a` is the
// acceleration at x.
//
// At constant dt both forms are position Verlet, every bit (dt / dt is 1): order 2, symplectic,
// stable below dt w = 2 on an oscillator of angular frequency w. With changing dt neither is
// symplectic: the energy of `full` wanders, that of `published` grows over long runs. dt / dtp
// enlarges what rounding left in x0 - x-1, so steps are at least some millionths of each other.
template <class V, class T>
constexpr V time_corrected_verlet(const V& x, const V& previous, const V& a, T dt, T previous_dt,
                                  TimeCorrection correction) {
  const T lasting = correction == TimeCorrection::full ? (dt + previous_dt) / 2 : dt;
  return x + (dt / previous_dt) * (x - previous) + (lasting * dt) * a;
}

}  // namespace orrery::integrate
