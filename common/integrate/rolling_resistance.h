// Owns rolling resistance: a torque that opposes rolling and can bring it to rest.
#pragma once

#include "common/integrate/rotation_algebra.h"

namespace orrery::integrate {

// Takes at most `impulse` from the size of the angular momentum, and leaves its direction: the
// impulse that would stop the body, limited in size, as friction is.
//
// impulse = h c N, c the lever of rolling resistance (metres), N the normal force. Exact for this
// law; never adds energy, never turns the body round, stable at every h. At rest after |L| / (c N).
template <class T>
void resist_rolling(RotationState<T>& state, T impulse) {
  ORRERY_ASSERT(impulse >= 0);
  const Triple<T> l = momentum(state);
  const T size = square_root(dot(l, l));
  const T kept = size > impulse ? 1 - impulse / size : T(0);
  for (T& component : state.l) component *= kept;
}

}  // namespace orrery::integrate
