// Rolling resistance: a torque that opposes the rotation of a body and can bring the body to rest.
#pragma once

#include "common/integrate/rotation_algebra.h"

namespace orrery::integrate {

// Reduces the size of the angular momentum L by `impulse`, but not below 0, and keeps its
// direction.
//
// impulse = h c N, where h is the step, c the lever of rolling resistance (metres) and N the normal
// force. Exact for a torque of constant size c N against L, and stable at every h. It never adds
// energy and never reverses the rotation. The body is at rest after the time |L| / (c N). REQUIRES:
// impulse >= 0.
template <class T>
void resist_rolling(RotationState<T>& state, T impulse) {
  ORRERY_ASSERT(impulse >= 0);
  const Triple<T> l = momentum(state);
  const T size = square_root(dot(l, l));
  const T kept = size > impulse ? 1 - impulse / size : T(0);
  for (T& component : state.l) component *= kept;
}

}  // namespace orrery::integrate
