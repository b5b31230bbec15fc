// Applies the rotation methods of integrate/ to the bodies.
#include "common/physics/motion/rotation.h"

#include <algorithm>
#include <cmath>

#include "common/integrate/gyroscopic.h"
#include "common/integrate/momentum.h"
#include "common/physics/motion/drift.h"
#include "common/physics/motion/force_points.h"

namespace orrery::physics {
namespace {

using integrate::RotationState;
using integrate::Triple;

bool is_finite(const RotationState<double>& state) {
  const auto finite = [](double x) { return std::isfinite(x); };
  return std::all_of(std::begin(state.l), std::end(state.l), finite) &&
         std::all_of(std::begin(state.q), std::end(state.q), finite);
}

template <class Method>
void rotate_body(Bodies& bodies, std::uint32_t slot, double h, Method method) {
  const Vec3 inverse = bodies.inverse_inertia(slot);
  if (inverse.x == 0) return;  // does not rotate: a point mass, an anchor or an empty slot
  const Vec3 l = bodies.angular_momentum(slot);
  const Quat q = bodies.orientation(slot);
  const Triple<double> inertia{1 / inverse.x, 1 / inverse.y, 1 / inverse.z};
  RotationState<double> state{{l.x, l.y, l.z}, {q.x, q.y, q.z, q.w}};
  method.start(state, inertia, h);
  method.step(state, inertia, h);
  if (!is_finite(state)) return;
  bodies.set_angular_momentum(slot,
                              bounded_momentum({state.l[0], state.l[1], state.l[2]}, inverse));
  bodies.set_orientation(slot, {state.q[0], state.q[1], state.q[2], state.q[3]});
}

template <class Method>
void rotate_each(Bodies& bodies, std::uint32_t begin, std::uint32_t end, double h) {
  const std::uint32_t last = std::min(end * limits::kTileBodies, bodies.slots());
  for (std::uint32_t slot = begin * limits::kTileBodies; slot < last; ++slot) {
    rotate_body(bodies, slot, h, Method());
  }
}

}  // namespace

void rotate_bodies(Bodies& bodies, std::uint32_t begin, std::uint32_t end, double h,
                   Rotation method) {
  ORRERY_ASSERT(begin <= end);
  ORRERY_ASSERT(end <= bodies.tiles());
  ORRERY_ASSERT(h > 0 || method == Rotation::cayley || method == Rotation::dropped);
  switch (method) {
    case Rotation::cayley:
      return rotate_tiles(bodies, begin, end, h);
    case Rotation::explicit_gyro:
      return rotate_each<integrate::ExplicitGyroscopic<double>>(bodies, begin, end, h);
    case Rotation::dropped:
      return rotate_each<integrate::DroppedGyroscopic<double>>(bodies, begin, end, h);
    case Rotation::momentum:
      return rotate_each<integrate::MomentumOldInertia<double>>(bodies, begin, end, h);
    case Rotation::implicit_gyro:
      return rotate_each<integrate::ImplicitGyroscopic<double>>(bodies, begin, end, h);
    case Rotation::implicit_gyro_midpoint:
      return rotate_each<integrate::ImplicitGyroscopicMidpoint<double>>(bodies, begin, end, h);
  }
}

}  // namespace orrery::physics
