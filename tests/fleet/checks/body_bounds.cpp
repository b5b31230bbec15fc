// Checks that the states of bodies are finite and bounded.
#include "tests/fleet/checks/body_bounds.h"

#include <algorithm>
#include <string>

#include "common/core/limits.h"
#include "common/math/range.h"

namespace orrery::fleet {
namespace {

// Bounds that honest clients and a few minutes of free fall never reach.
constexpr double kReachMax = 1e6;    // m
constexpr double kSpeedMax = 1e4;    // m/s
constexpr double kSpinMax = 1e6;     // rad/s, body frame
constexpr double kNormSlack = 1e-9;  // allowed error of the squared length of an orientation

// Factor on the limits of a world, for runs with hostile clients. A hostile client can push bodies
// up to the limits of commands, and gravity then accelerates them beyond.
constexpr double kLimitsSlack = 2;

Vec3 spin_of(const physics::Bodies& bodies, std::uint32_t slot) {
  return scaled(bodies.inverse_inertia(slot), bodies.angular_momentum(slot));
}

// Returns true if the state is within the bounds of honest play. NaN is not within them.
bool within_reach_of_the_honest(const physics::Bodies& bodies, std::uint32_t slot) {
  return within(bodies.position(slot), kReachMax) && within(bodies.velocity(slot), kSpeedMax) &&
         within(spin_of(bodies, slot), kSpinMax);
}

// Returns true if the state is within the bounds of hostile play. Free rotation conserves angular
// momentum, so the spin grows when the body turns about an axis of smaller inertia.
bool within_limits(const World& world, std::uint32_t slot) {
  const double speed = kLimitsSlack * limits::kSpeedMax;
  const double time = static_cast<double>(world.tick().value) * world.tick_time();
  const Vec3 inertia = momentum_inertia(prototype_of(world, slot));
  const double turn = kLimitsSlack * square_root(3) * limits::kAngularSpeedMax *
                      std::max({inertia.x, inertia.y, inertia.z});
  return within(world.bodies().position(slot), limits::kLengthMax + speed * time) &&
         within(world.bodies().velocity(slot), speed) &&
         within(world.bodies().angular_momentum(slot), turn);
}

bool is_unit(const Quat& q) {
  return within(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1, kNormSlack);
}

std::string text_of(const Vec3& v) {
  return "(" + std::to_string(v.x) + ", " + std::to_string(v.y) + ", " + std::to_string(v.z) + ")";
}

}  // namespace

std::optional<Violation> check_body_bounds(const World& world, bool hostile_was_here) {
  const physics::Bodies& bodies = world.bodies();
  for (std::uint32_t slot = 0; slot < bodies.capacity(); ++slot) {
    if (!bodies.alive(slot)) continue;
    const bool bounded =
        hostile_was_here ? within_limits(world, slot) : within_reach_of_the_honest(bodies, slot);
    if (bounded && is_unit(bodies.orientation(slot))) continue;
    return Violation{"the state is finite and bounded",
                     "the body in slot " + std::to_string(slot) + " is at " +
                         text_of(bodies.position(slot)) + ", moves with " +
                         text_of(bodies.velocity(slot)) + " and spins with " +
                         text_of(spin_of(bodies, slot))};
  }
  return std::nullopt;
}

}  // namespace orrery::fleet
