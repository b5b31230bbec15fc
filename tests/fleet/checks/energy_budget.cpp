// Bounds the energy of a world by its initial energy and the work of its commands.
#include "tests/fleet/checks/energy_budget.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "common/physics/body/contact_margin.h"
#include "common/physics/contacts/contact_kernels.h"
#include "common/physics/contacts/contact_settings.h"
#include "common/world/report/conserved.h"
#include "common/world/report/contact_report.h"

namespace orrery::fleet {
namespace {

// Allowed relative errors of the energy. Exact methods have only rounding errors. Scenes with
// collision use semi-implicit Euler, with which the energy of springs oscillates about its mean.
// The budget may have started at a minimum of this oscillation.
constexpr double kRounding = 1e-12;
constexpr double kSlackOfExact = 1e-6;
constexpr double kSlackOfEuler = 1e-2;

// Bodies that overlap by more than this are being pushed apart. Bodies at rest in a pile overlap by
// less.
constexpr double kOverlapMax = 0.02;  // m

double kinetic(double mass, const Vec3& v) { return mass * dot(v, v) / 2; }

// Returns the largest speed at which a body is pushed out of a body that it overlaps.
double push_speed_max(const World& world, std::uint32_t slot) {
  const Collision& c = *world.collision();
  const physics::ShapedBodies shaped{world.bodies(), c.shapes, c.shape_of};
  if (!shaped.has_shape(slot)) return 0;
  const double h = world.tick_time() / world.scene().substeps;
  const physics::Softness fixed = physics::softness(2 * physics::kContactFrequencyShare / h,
                                                    physics::kContactDampingRatio / 2, h);
  return fixed.rate * physics::kPushShare * physics::largest_size(shaped.parts(slot)).inner_radius;
}

}  // namespace

EnergyBudget::EnergyBudget(const World& world)
    : had_(world.bodies().capacity()),
      slack_(world.collision() ? kSlackOfEuler : kSlackOfExact),
      begun_with_(conserved(world).energy),
      energy_(begun_with_),
      most_(begun_with_),
      largest_(std::abs(begun_with_)) {
  remember(world);
}

void EnergyBudget::remember(const World& world) {
  for (std::uint32_t slot = 0; slot < had_.size(); ++slot) {
    had_[slot].there = has_mass(world, slot);
    if (!had_[slot].there) continue;
    had_[slot] = {.id = body_id(world, slot),
                  .there = true,
                  .mass = prototype_of(world, slot).mass,
                  .position = world.bodies().position(slot),
                  .velocity = world.bodies().velocity(slot),
                  .spin = length(world.bodies().angular_velocity(slot)),
                  .energy = body_energy(world, slot)};
  }
}

EnergyBudget::Had* EnergyBudget::had(BodyId id) {
  const std::uint32_t slot = slot_of(id);
  const bool there = slot < had_.size() && had_[slot].there && had_[slot].id == id;
  return there ? &had_[slot] : nullptr;
}

void EnergyBudget::follow(const World& world) {
  for (const Command& command : world.applied()) {
    std::visit([&](const auto& c) { add(world, c); }, command.payload);
  }
  add_held(world);
  remember(world);
  energy_ = conserved(world).energy;
  if (pushed_apart_) {
    brought_ += std::max(0.0, energy_ - (begun_with_ + brought_));
    SerialExecutor executor;
    pushed_apart_ = report_contacts(world, executor).deepest_overlap > kOverlapMax;
  }
  largest_ = std::max({largest_, std::abs(energy_), std::abs(brought_)});
  most_ = begun_with_ + brought_;
  most_ += slack_ * (std::abs(begun_with_) + std::abs(most_)) + kRounding * largest_;
}

void EnergyBudget::add(const World& world, const command::Impulse& c) {
  Had* const body = had(c.body);
  if (!body) return;
  const Vec3 pushed = physics::limited_velocity(
      body->velocity, body->velocity + (1 / body->mass) * widen(c.impulse),
      world.scene().command_limits.speed_max);
  const double work = kinetic(body->mass, pushed) - kinetic(body->mass, body->velocity);
  body->velocity = pushed;
  body->energy += work;
  brought_ += work;
}

// Adds the energy of a spawned body. The command does not say which body it made, so this takes any
// new body of the prototype. All bodies of a prototype have the same mass.
void EnergyBudget::add(const World& world, const command::Spawn& c) {
  for (std::uint32_t slot = 0; slot < had_.size(); ++slot) {
    if (!has_mass(world, slot) || had(body_id(world, slot))) continue;
    if (world.controls().prototypes[slot] != c.prototype) continue;
    const BodyDef& def = world.scene().bodies[c.prototype];
    const Quat turn = command::has_orientation(c) ? widen(c.orientation) : def.orientation;
    const Pose pose = body_pose(world, c.prototype, {widen(c.position), normalized(turn)});
    const Vec3 spin = world.bodies().angular_momentum(slot);
    // A body that overlaps another pushes it away and is pushed itself.
    const double push = world.collision() ? 2 * push_speed_max(world, slot) : 0;
    pushed_apart_ = world.collision().has_value();
    brought_ += kinetic(def.mass, {push, 0, 0}) + kinetic(def.mass, widen(c.velocity)) +
                dot(spin, scaled(world.bodies().inverse_inertia(slot), spin)) / 2 -
                def.mass * def.gravity_scale * dot(world.controls().gravity, pose.position);
    return;
  }
}

void EnergyBudget::add(const World&, const command::Remove& c) {
  Had* const body = had(c.body);
  if (!body) return;
  brought_ -= body->energy;
  body->there = false;
}

void EnergyBudget::add_held(const World& world) {
  for (const HeldThrust& thrust : world.controls().thrusts) {
    const Had* const body = had(thrust.body);
    if (!body) continue;
    const std::uint32_t slot = slot_of(thrust.body);
    const double spin = std::max(body->spin, length(world.bodies().angular_velocity(slot)));
    brought_ += dot(widen(thrust.force), world.bodies().position(slot) - body->position) +
                length(widen(thrust.torque)) * spin * world.tick_time();
  }
  for (const Client& client : world.controls().clients) {
    const Had* const body = client.grabbing ? had(client.grabbed) : nullptr;
    if (!body) continue;
    const std::uint32_t slot = slot_of(client.grabbed);
    const double most = world.scene().grab_acceleration_max;
    const double spin = std::max(body->spin, length(world.bodies().angular_velocity(slot)));
    const double speed = std::max(length(body->velocity), length(world.bodies().velocity(slot))) +
                         most * world.tick_time() + spin * length(widen(client.grab_at));
    brought_ += body->mass * most * speed * world.tick_time();
  }
}

}  // namespace orrery::fleet
