// Lists the rotation methods for tests.
#pragma once

#include "client/lab/methods/lie_rotation.h"
#include "client/lab/methods/splitting.h"
#include "common/integrate/gyroscopic.h"
#include "common/integrate/momentum.h"
#include "tests/unit/lab/methods/problems.h"

namespace orrery::integrate::test {

// Calls visit(name, method) for each method.
template <class T, class Visit>
void each_rotation_method(Visit&& visit) {
  visit("explicit", ExplicitGyroscopic<T>());
  visit("dropped", DroppedGyroscopic<T>());
  visit("momentum", MomentumOldInertia<T>());
  visit("implicit-gyro", ImplicitGyroscopic<T>(1));
  visit("implicit-gyro-converged", ImplicitGyroscopic<T>(20));
  visit("implicit-gyro-midpoint", ImplicitGyroscopicMidpoint<T>());
  visit("buss", BussAugmented<T>(libm<T>()));
  visit("momentum-midpoint", MomentumMidpoint<T>(libm<T>()));
  visit("rk4", RotationRungeKutta4<T>());
  visit("splitting", TrigonometricSplitting<T>(libm<T>()));
  visit("cayley", CayleyMidpoint<T>());
  visit("cayley-4", CayleyMidpoint4<T>());
  visit("moser-veselov", MoserVeselov<T>());
  visit("lie-midpoint", LieMidpoint<T>(libm<T>()));
}

// Returns twice the energy: 2 E = w . I w.
template <class T>
T doubled_energy(const RotationState<T>& state, const Triple<T>& inertia) {
  const Triple<T> l = momentum(state);
  return dot(l, divided(l, inertia));
}

// Returns the angular momentum in world axes.
template <class T>
Triple<T> world_momentum(const RotationState<T>& state) {
  return turned(attitude(state), momentum(state));
}

// Returns a body aligned with the world axes, with angular velocity w.
template <class T>
RotationState<T> spinning(const Triple<T>& inertia, const Triple<T>& w) {
  RotationState<T> state;
  set(state, scaled(inertia, w), Quaternion<T>{0, 0, 0, 1});
  return state;
}

}  // namespace orrery::integrate::test
