// Lists the integration methods for tests: those of the catalogue that work on accelerations, and
// variants without a name.
#pragma once

#include <string>

#include "client/lab/methods/composition.h"
#include "client/lab/methods/euler.h"
#include "client/lab/methods/implicit.h"
#include "client/lab/methods/multistep.h"
#include "client/lab/methods/predictor.h"
#include "client/lab/methods/velocity_verlet.h"
#include "client/lab/methods/verlet.h"
#include "tests/unit/lab/methods/problems.h"

namespace orrery::integrate::test {

// Calls visit(name, method) for methods that need no Jacobian. Exponential Euler also needs drag().
template <class T, class Visit>
void each_explicit_method(std::size_t n, Visit&& visit) {
  visit("explicit-euler", ExplicitEuler<T>(n));
  visit("semi-implicit-euler", SemiImplicitEuler<T>(n));
  visit("semi-implicit-euler-x-first", SemiImplicitEulerPositionFirst<T>(n));
  visit("taylor-euler", TaylorEuler<T>(n));
  visit("exponential-euler", ExponentialEuler<T>(n, libm<T>()));
  visit("backward-euler-predictor", BackwardEulerPredictor<T>(n));
  visit("backward-euler-predictor-x",
        BackwardEulerPredictor<T>(n, CorrectedPosition::from_predicted_velocity));
  visit("midpoint", Midpoint<T>(n));
  visit("heun", Heun<T>(n));
  visit("rk4", RungeKutta4<T>(n));
  visit("verlet", PositionVerlet<T>(n));
  visit("verlet-rk4-start", PositionVerlet<T>(n, VerletStart::runge_kutta));
  visit("verlet-euler-start", PositionVerlet<T>(n, VerletStart::euler));
  visit("verlet-naive-start", PositionVerlet<T>(n, VerletStart::naive));
  visit("verlet, central velocity", VerletCentral<T>(n));
  visit("tcv", TimeCorrectedVerlet<T>(n, TimeCorrection::published));
  visit("tcv-full", TimeCorrectedVerlet<T>(n, TimeCorrection::full));
  visit("velocity-verlet", VelocityVerlet<T>(n));
  visit("leapfrog-dkd", LeapfrogDriftKickDrift<T>(n));
  visit("leapfrog-kdk", LeapfrogKickDriftKick<T>(n));
  visit("leapfrog-staggered", LeapfrogStaggered<T>(n));
  visit("leapfrog-staggered, no half step", LeapfrogStaggered<T>(n, LeapfrogStart::none));
  visit("beeman", Beeman<T>(n));
  visit("ab2", AdamsBashforth2<T>(n));
  visit("ab4", AdamsBashforth4<T>(n));
  visit("abm4", AdamsBashforthMoulton4<T>(n));
  visit("forest-ruth", ForestRuth<T>(n));
  visit("yoshida4", Yoshida4<T>(n));
  visit("yoshida6", Yoshida6<T>(n));
  visit("suzuki4", Suzuki4<T>(n));
  visit("pefrl", Pefrl<T>(n));
}

// Calls visit(name, method) for methods that need a Jacobian.
template <class T, class Visit>
void each_implicit_method(std::size_t n, Visit&& visit) {
  visit("backward-euler", BackwardEuler<T>(n));
  visit("trapezoidal", Trapezoidal<T>(n));
  visit("implicit-midpoint", ImplicitMidpoint<T>(n));
  visit("newmark", Newmark<T>(n));
  visit("newmark 1/6", Newmark<T>(n, T(1) / 6, T(0.5)));
  visit("newmark 1/12", Newmark<T>(n, T(1) / 12, T(0.5)));
  visit("newmark .3 .55", Newmark<T>(n, T(0.3L), T(0.55L)));
}

// Calls visit(name, method) for methods that solve drag in the kick.
template <class T, class Visit>
void each_drag_kick_method(std::size_t n, Visit&& visit) {
  const ExactDragKick<T> exact{libm<T>().exp};
  visit("leapfrog-kdk, exact drag", LeapfrogKickDriftKick<T, ExactDragKick<T>>(n, exact));
  visit("forest-ruth, exact drag", ForestRuth<T, ExactDragKick<T>>(n, exact));
  visit("pefrl, exact drag", Pefrl<T, ExactDragKick<T>>(n, exact));
  visit("yoshida4, exact drag", Yoshida4<T, ExactDragKick<T>>(n, exact));
  visit("leapfrog-kdk, Crank-Nicolson", LeapfrogKickDriftKick<T, CrankNicolsonKick<T>>(n));
}

template <class T, class Visit>
void each_method(std::size_t n, Visit&& visit) {
  each_explicit_method<T>(n, visit);
  each_implicit_method<T>(n, visit);
  each_drag_kick_method<T>(n, visit);
}

}  // namespace orrery::integrate::test
