// Evaluates all forces at one instant.
#include "common/physics/motion/accelerations.h"

#include <algorithm>
#include <cmath>

#include "common/physics/motion/force_points.h"

namespace orrery::physics {
namespace {

// Adds forces and torques to the rates of their bodies.
struct Sum {
  const Bodies& bodies;
  std::vector<Rates>& rates;

  void push(std::uint32_t slot, const Vec3& force) {
    rates[slot].acceleration += bodies.inverse_mass(slot) * force;
  }
  // Adds a torque in world axes. Bodies with inverse inertia 0 do not rotate.
  void turn(std::uint32_t slot, const Vec3& torque) {
    if (bodies.inverse_inertia(slot) == Vec3{}) return;
    rates[slot].torque += rotate_back(bodies.orientation(slot), torque);
  }
  void push_at(std::uint32_t slot, const Vec3& force, const Vec3& arm) {
    push(slot, force);
    if (arm != Vec3{}) turn(slot, cross(arm, force));
  }
};

void add(Sum& sum, const Spring& spring) {
  const PointState a = point_state(sum.bodies, spring.a, spring.at_a);
  const PointState b = point_state(sum.bodies, spring.b, spring.at_b);
  const Vec3 between = b.position - a.position;
  const double distance = length(between);
  if (distance == 0) return;
  const Vec3 n = (1 / distance) * between;
  const double force = -(spring.stiffness * (distance - spring.rest_length) +
                         spring.damping * dot(b.velocity - a.velocity, n));
  sum.push_at(spring.a, -force * n, a.arm);
  sum.push_at(spring.b, force * n, b.arm);
}

void add(Sum& sum, const Tether& tether) {
  const PointState p = point_state(sum.bodies, tether.body, tether.at);
  const Vec3 offset = p.position - tether.anchor;
  const double distance = length(offset);
  if (tether.rest_length == 0 && tether.damping == 0) {
    return sum.push_at(tether.body, -tether.stiffness * offset, p.arm);
  }
  if (distance == 0) return;
  const Vec3 n = (1 / distance) * offset;
  const double force =
      -(tether.stiffness * (distance - tether.rest_length) + tether.damping * dot(p.velocity, n));
  sum.push_at(tether.body, force * n, p.arm);
}

void add(Sum& sum, const Grip& grip) {
  const PointState p = point_state(sum.bodies, grip.slot, grip.at);
  const double w = grip.angular_frequency;
  const Vec3 wanted = -(w * w) * (p.position - grip.target) - (2 * w) * p.velocity;
  const double size = length(wanted);
  if (size == 0) return;
  const double inverse_mass =
      inverse_effective_mass(sum.bodies, grip.slot, p.arm, (1 / size) * wanted);
  if (inverse_mass == 0) return;  // no force moves the body
  const double share = std::min(1.0, grip.acceleration_max / size);
  sum.push_at(grip.slot, (share / inverse_mass) * wanted, p.arm);
}

void add_mutual_gravity(Sum& sum, const ForceSet& forces) {
  // Bound on each component of the attraction of two bodies. It is far above all other forces, but
  // small enough that sums of attractions stay finite.
  constexpr double kAccelerationMax = 1e100;
  const double e2 = forces.softening * forces.softening;
  for (std::size_t i = 0; i < forces.attractors.size(); ++i) {
    const Attractor& a = forces.attractors[i];
    for (std::size_t j = i + 1; j < forces.attractors.size(); ++j) {
      const Attractor& b = forces.attractors[j];
      const Vec3 d = sum.bodies.position(b.slot) - sum.bodies.position(a.slot);
      const double r2 = dot(d, d) + e2;
      if (r2 == 0) continue;
      const double strength =
          forces.gravitational_constant * a.mass * b.mass / (r2 * square_root(r2));
      if (!std::isfinite(strength)) continue;  // too close for binary64
      const Vec3 force = clamped(strength * d, kAccelerationMax);
      sum.push(a.slot, force);
      sum.push(b.slot, -force);
    }
  }
}

}  // namespace

void accelerations(const Bodies& bodies, const ForceSet& forces, const Vec3& gravity,
                   std::vector<Rates>& rates) {
  ORRERY_ASSERT(rates.size() == bodies.capacity());
  ORRERY_ASSERT(forces.softening >= 0);
  const double* const scale = bodies.field(BodyField::gravity_scale);
  for (std::uint32_t slot = 0; slot < bodies.slots(); ++slot) {
    rates[slot] = {scale[slot] * gravity, {}};
  }
  Sum sum{bodies, rates};
  for (const Thruster& thruster : forces.thrusters) {
    sum.push(thruster.slot, thruster.force);
    sum.turn(thruster.slot, thruster.torque);
  }
  if (forces.gravitational_constant != 0) add_mutual_gravity(sum, forces);
  for (const Spring& spring : forces.springs) add(sum, spring);
  for (const Tether& tether : forces.tethers) add(sum, tether);
  for (const Grip& grip : forces.grips) add(sum, grip);
  for (const Dragged& d : forces.dragged) {
    const Vec3 v = bodies.velocity(d.slot);
    rates[d.slot].acceleration -= (d.linear + d.quadratic * length(v)) * v;
    rates[d.slot].torque -= d.turning * bodies.angular_momentum(d.slot);
  }
}

}  // namespace orrery::physics
