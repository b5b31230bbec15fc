// Implements the integration methods that evaluate forces in stages.
#include "common/physics/motion/stages.h"

#include "common/physics/motion/force_points.h"

namespace orrery::physics {

Stages::Stages(std::uint32_t capacity) : start_(capacity), sum_(capacity), rates_(capacity) {}

void Stages::remember_start(const Bodies& bodies) {
  ORRERY_ASSERT(start_.size() == bodies.capacity());
  for (std::uint32_t slot = 0; slot < bodies.slots(); ++slot) {
    start_[slot] = {bodies.position(slot), bodies.velocity(slot), bodies.angular_momentum(slot)};
    sum_[slot] = {};
  }
}

template <class Velocity>
void Stages::go(Bodies& bodies, double h, Velocity v) const {
  ORRERY_ASSERT(rates_.size() == bodies.capacity());
  for (std::uint32_t slot = 0; slot < bodies.slots(); ++slot) {
    if (bodies.inverse_mass(slot) == 0) continue;  // an anchor or an empty slot
    const Motion& start = start_[slot];
    const Rates& rates = rates_[slot];
    bodies.set_position(slot, start.x + h * v(slot));
    bodies.set_velocity(slot, bounded_velocity(start.v + h * rates.acceleration));
    bodies.set_angular_momentum(
        slot, bounded_momentum(start.l + h * rates.torque, bodies.inverse_inertia(slot)));
  }
}

void Stages::add_stage(const Bodies& bodies, double share) {
  ORRERY_ASSERT(sum_.size() == bodies.capacity());
  for (std::uint32_t slot = 0; slot < bodies.slots(); ++slot) {
    sum_[slot].x += share * bodies.velocity(slot);
    sum_[slot].v += share * rates_[slot].acceleration;
    sum_[slot].l += share * rates_[slot].torque;
  }
}

void Stages::explicit_euler(Bodies& bodies, const ForceSet& forces, const Vec3& gravity, double h) {
  ORRERY_ASSERT(h > 0);
  remember_start(bodies);
  accelerations(bodies, forces, gravity, rates_);
  go(bodies, h, [&](std::uint32_t slot) { return start_[slot].v; });
}

void Stages::rk4(Bodies& bodies, const ForceSet& forces, const Vec3& gravity, double h) {
  ORRERY_ASSERT(h > 0);
  const auto present = [&](std::uint32_t slot) { return bodies.velocity(slot); };
  remember_start(bodies);
  accelerations(bodies, forces, gravity, rates_);
  add_stage(bodies, 1);
  go(bodies, h / 2, present);
  accelerations(bodies, forces, gravity, rates_);
  add_stage(bodies, 2);
  go(bodies, h / 2, present);
  accelerations(bodies, forces, gravity, rates_);
  add_stage(bodies, 2);
  go(bodies, h, present);
  accelerations(bodies, forces, gravity, rates_);
  add_stage(bodies, 1);
  for (std::uint32_t slot = 0; slot < bodies.slots(); ++slot) {
    rates_[slot] = {sum_[slot].v, sum_[slot].l};
  }
  go(bodies, h / 6, [&](std::uint32_t slot) { return sum_[slot].x; });
}

void Stages::backward_euler(Bodies& bodies, const ForceSet& forces, const Vec3& gravity, double h) {
  ORRERY_ASSERT(h > 0);
  const auto new_velocity = [&](std::uint32_t slot) {
    return bounded_velocity(start_[slot].v + h * rates_[slot].acceleration);
  };
  remember_start(bodies);
  accelerations(bodies, forces, gravity, rates_);
  for (int round = 0; round < kBackwardEulerRounds; ++round) {
    go(bodies, h, new_velocity);
    accelerations(bodies, forces, gravity, rates_);
  }
  go(bodies, h, new_velocity);
}

}  // namespace orrery::physics
