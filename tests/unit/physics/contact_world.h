// A minimal world for tests of contacts: bodies, shapes, pairs and contacts.
#pragma once

#include <cstdint>
#include <vector>

#include "common/core/rng.h"
#include "common/physics/broad/broad_phase.h"
#include "common/physics/motion/drift.h"
#include "common/physics/solve/contact_solver.h"
#include "tests/support/backward_executor.h"

namespace orrery {

using test::BackwardExecutor;

struct ContactWorld {
  explicit ContactWorld(std::uint32_t capacity)
      : bodies(capacity),
        shape_of(bodies.capacity(), physics::kNoShape),
        broad_phase(bodies.capacity()),
        solver(bodies.capacity()) {}

  std::uint32_t add_shape(physics::ShapeKind kind, const Vec3& half_extents, double radius,
                          const physics::Material& material, double density = 1000) {
    physics::PartDef part;
    part.kind = kind;
    part.half_extents = half_extents;
    part.radius = radius;
    part.material = material;
    part.density = density;
    return shapes.add({{part}}).value();
  }
  std::uint32_t add_box(const Vec3& half_extents, const physics::Material& material = {},
                        double density = 1000) {
    return add_shape(physics::ShapeKind::box, half_extents, 0, material, density);
  }
  std::uint32_t add_ball(double radius, const physics::Material& material = {},
                         double density = 1000) {
    return add_shape(physics::ShapeKind::sphere, {}, radius, material, density);
  }

  // Adds a fixed body in the lowest free slot, and returns the slot.
  std::uint32_t add_fixed(std::uint32_t shape, const Vec3& position, const Quat& q = {}) {
    const std::uint32_t slot = bodies.lowest_free_slot();
    bodies.occupy(slot);
    bodies.set_position(slot, position);
    bodies.set_orientation(slot, q);
    shape_of[slot] = shape;
    broad_phase.bodies_changed();
    return slot;
  }
  // Adds a movable body in the lowest free slot, and returns the slot. `angular_velocity` is in the
  // world frame. `q` is the orientation of the shape, not of its principal axes.
  std::uint32_t add(std::uint32_t shape, const Vec3& position, const Vec3& velocity = {},
                    const Vec3& angular_velocity = {}, const Quat& q = {}) {
    const std::uint32_t slot = add_fixed(shape, position, q);
    const physics::MassProperties& mass = shapes.shape(shape).mass;
    const Quat turned = q * mass.frame.orientation;
    const Vec3 i = mass.inertia;
    bodies.set(physics::BodyField::inverse_mass, slot, 1 / mass.mass);
    bodies.set(physics::BodyField::inverse_inertia_x, slot, Vec3{1 / i.x, 1 / i.y, 1 / i.z});
    bodies.set(physics::BodyField::gravity_scale, slot, 1);
    bodies.set_orientation(slot, turned);
    bodies.set_velocity(slot, velocity);
    bodies.set_angular_momentum(slot, scaled(i, rotate_back(turned, angular_velocity)));
    return slot;
  }
  void remove(std::uint32_t slot) {
    bodies.vacate(slot);
    shape_of[slot] = physics::kNoShape;
    broad_phase.bodies_changed();
    solver.contacts().end_contacts_of(slot);
  }

  // Returns the view of the bodies with their shapes.
  physics::ShapedBodies shaped() const { return {bodies, shapes, shape_of}; }

  physics::ContactMargin margin() const { return physics::contact_margin(gravity, time); }

  // Runs the steps of a tick up to the impacts.
  void strike(Executor& executor) {
    broad_phase.update(shaped(), margin(), executor);
    physics::ContactInput input{shaped(), broad_phase.pairs()};
    input.step = {time / substeps, gravity, time};
    solver.update(input, executor);
    solver.strike(bodies, input.step, executor);
  }
  void step(Executor& executor) {
    strike(executor);
    const double h = time / substeps;
    for (int i = 0; i < substeps; ++i) {
      for (std::uint32_t slot = 0; slot < bodies.slots(); ++slot) {
        const double share = h * bodies.at(physics::BodyField::gravity_scale, slot);
        bodies.set_velocity(slot, bodies.velocity(slot) + share * gravity);
      }
      solver.solve(bodies, {h, gravity, time}, executor);
      physics::drift_tiles(bodies, 0, bodies.tiles(), {h, {}, {}});
      solver.relax(bodies, shaped(), {h, gravity, time}, executor);
    }
    solver.finish(bodies, executor);
  }
  void step(int ticks) {
    SerialExecutor serial;
    for (int i = 0; i < ticks; ++i) step(serial);
  }

  // Returns the hash of the state of all bodies and contacts.
  std::uint64_t hash() {
    SerialExecutor serial;
    return physics::hash_tiles(bodies, 0, bodies.tiles()) + solver.contacts().hash(serial);
  }

  physics::ShapeSet shapes;
  physics::Bodies bodies;
  std::vector<std::uint32_t> shape_of;
  physics::BroadPhase broad_phase;
  physics::ContactSolver solver;
  Vec3 gravity{0, -9.81, 0};
  double time = 1.0 / 60;
  int substeps = 4;
};

// Adds a floor with its top at y = 0, and `count` boxes and balls above it with random velocities.
inline void add_pile(ContactWorld& world, std::uint32_t count, std::uint64_t seed) {
  SplitMix64 random(seed);
  const auto draw = [&](double scale) {
    Vec3 v;
    v.x = scale * random.symmetric();
    v.y = scale * random.symmetric();
    v.z = scale * random.symmetric();
    return v;
  };
  const physics::Material rough{0.6, 0.3, 0.01};
  world.add_fixed(world.add_box({8, 1, 8}), {0, -1, 0});
  const std::uint32_t shapes[] = {world.add_box({0.5, 0.3, 0.2}), world.add_ball(0.4),
                                  world.add_box({0.4, 0.4, 0.4}, rough),
                                  world.add_ball(0.3, rough)};
  for (std::uint32_t i = 0; i < count; ++i) {
    const Vec3 place{1.1 * (i % 5) - 2.2, 0.8 + 1.1 * (i / 25), 1.1 * (i / 5 % 5) - 2.2};
    const Vec3 offset = draw(0.05), velocity = draw(2), spin = draw(10);
    world.add(shapes[i % 4], place + offset, velocity, spin);
  }
}

}  // namespace orrery
