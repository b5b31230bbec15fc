// Owns the drift: free flight and free rotation of tiles of bodies.
#include "common/physics/drift.h"

#include "common/integrate/rotation.h"

namespace orrery {
namespace {

void drift_body(Bodies& bodies, std::uint32_t slot, const Drift& drift) {
  const double scale = bodies.at(BodyField::gravity_scale, slot);
  const Vec3 v = bodies.velocity(slot);
  bodies.set_position(slot, (bodies.position(slot) + drift.h * v) + scale * drift.gravity_position);
  bodies.set_velocity(slot, v + scale * (drift.h * drift.gravity));
  const Vec3 i = bodies.inverse_inertia(slot);
  const Vec3 l = bodies.angular_momentum(slot);
  const Quat q = bodies.orientation(slot);
  integrate::RotationState<double> state{{l.x, l.y, l.z}, {q.x, q.y, q.z, q.w}};
  integrate::rotate_freely(state, {i.x, i.y, i.z}, drift.h);
  bodies.set_angular_momentum(slot, {state.l[0], state.l[1], state.l[2]});
  bodies.set_orientation(slot, {state.q[0], state.q[1], state.q[2], state.q[3]});
}

}  // namespace

void drift_tiles(Bodies& bodies, std::uint32_t begin, std::uint32_t end, const Drift& drift) {
  for (std::uint32_t slot = 64 * begin; slot < 64 * end; ++slot) drift_body(bodies, slot, drift);
}

std::uint64_t drift_and_hash_tiles(Bodies& bodies, std::uint32_t begin, std::uint32_t end,
                                   const Drift& drift) {
  drift_tiles(bodies, begin, end, drift);
  return hash_tiles(bodies, begin, end);
}

std::uint64_t hash_tiles(const Bodies& bodies, std::uint32_t begin, std::uint32_t end) {
  std::uint64_t sum = 0;
  for (std::uint32_t slot = 64 * begin; slot < 64 * end; ++slot) {
    if (bodies.alive(slot)) sum += hash_body(bodies, slot);
  }
  return sum;
}

}  // namespace orrery
