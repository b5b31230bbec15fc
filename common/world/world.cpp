// Makes a world from its scene.
#include "common/world/world.h"

#include <utility>

#include "common/world/image/state_hash.h"
#include "common/world/joint_frames.h"
#include "common/world/mutable_world.h"
#include "common/world/world_forces.h"

namespace orrery {

Collision::Collision(physics::ShapeSet shapes_in, std::uint32_t capacity, bool may_sleep)
    : shapes(std::move(shapes_in)),
      shape_of(capacity, physics::kNoShape),
      broad_phase(capacity),
      solver(capacity),
      continuous(capacity),
      crossings(capacity) {
  ORRERY_ASSERT(capacity > 0 && capacity <= limits::kBodiesMax);
  if (may_sleep) sleeping.emplace(capacity);
}

World::World(Scene scene)
    : scene_(std::move(scene)),
      tick_time_(orrery::tick_time(scene_)),
      substep_time_(tick_time_ / scene_.substeps),
      bodies_(static_cast<std::uint32_t>(scene_.bodies.size()) + scene_.spare_bodies),
      flight_(is_kinematic(scene_.integrator) ? bodies_.capacity() : 0, substep_time_,
              scene_.integrator == Integrator::kinematic ? physics::FlightPosition::exact
                                                         : physics::FlightPosition::average),
      stages_(has_stages(scene_.integrator) ? bodies_.capacity() : 0) {
  ORRERY_ASSERT(validate(scene_).ok());
  controls_.gravity = scene_.gravity;
  controls_.gravitational_constant = scene_.gravitational_constant;
  controls_.clients.reserve(limits::kClientsMax);
  controls_.thrusts.reserve(limits::kThrustsMax);
  controls_.generations.assign(bodies_.capacity(), 0);
  controls_.prototypes.assign(bodies_.capacity(), 0);
  controls_.control.assign(bodies_.capacity(), control_of_free_slots(scene_));
  controls_.owners.assign(bodies_.capacity(), 0);
  applied_.reserve(limits::kCommandsPerTickMax);
  if (needs_contact_solver(scene_)) {
    collision_.emplace(make_shapes(scene_).value(), bodies_.capacity(), scene_.sleeping);
  }
  MutableWorld state(*this);
  for (std::uint32_t i = 0; i < scene_.bodies.size(); ++i) create_body(state, i, i);
  if (collision_) collision_->solver.set_joints(make_joints(*this));
  ORRERY_ASSERT(bodies_.slots() == scene_.bodies.size());
  rebuild_forces(state);
  controls_hash_ = hash_controls(state);
  SerialExecutor serial;
  hash_ = state_hash(*this, serial);
}

Vec3 momentum_inertia(const BodyDef& def) {
  switch (def.kind) {
    case BodyKind::rigid:
      return def.inertia;
    case BodyKind::kinematic:
      return {1, 1, 1};
    default:
      return {};
  }
}

void set_body_constants(MutableWorld& world, std::uint32_t slot, std::uint32_t prototype) {
  ORRERY_ASSERT(slot < world.bodies.capacity());
  ORRERY_ASSERT(prototype < world.scene.bodies.size());
  const BodyDef& def = world.scene.bodies[prototype];
  physics::Bodies& bodies = world.bodies;
  const bool moves = is_dynamic(def.kind);
  bodies.set(physics::BodyField::inverse_mass, slot, moves ? 1 / def.mass : 0);
  const Vec3 inertia = momentum_inertia(def);
  const bool turns = inertia != Vec3{};
  bodies.set(physics::BodyField::inverse_inertia_x, slot,
             turns ? Vec3{1 / inertia.x, 1 / inertia.y, 1 / inertia.z} : Vec3{});
  bodies.set(physics::BodyField::gravity_scale, slot, moves ? def.gravity_scale : 0);
  bodies.set(physics::BodyField::linear_drag, slot, moves ? def.linear_drag / def.mass : 0);
  bodies.set(physics::BodyField::quadratic_drag, slot, moves ? def.quadratic_drag / def.mass : 0);
  world.controls.prototypes[slot] = prototype;
  if (!world.collision) return;
  world.collision->shape_of[slot] = def.shape;
  world.collision->solver.contacts().end_contacts_of(slot);
  world.collision->broad_phase.bodies_changed();
}

Pose body_pose(const World& world, std::uint32_t prototype, const Pose& pose) {
  ORRERY_ASSERT(prototype < world.scene().bodies.size());
  const std::uint32_t shape = world.scene().bodies[prototype].shape;
  return shape == physics::kNoShape ? pose
                                    : pose * world.collision()->shapes.shape(shape).mass.frame;
}

Vec3 body_point(const World& world, std::uint32_t prototype, const Vec3& point) {
  ORRERY_ASSERT(prototype < world.scene().bodies.size());
  const std::uint32_t shape = world.scene().bodies[prototype].shape;
  if (shape == physics::kNoShape) return point;
  const Pose& frame = world.collision()->shapes.shape(shape).mass.frame;
  return rotate_back(frame.orientation, point - frame.position);
}

void create_body(MutableWorld& world, std::uint32_t slot, std::uint32_t prototype) {
  ORRERY_ASSERT(prototype < world.scene.bodies.size() && !world.bodies.alive(slot));
  world.bodies.occupy(slot);
  set_body_constants(world, slot, prototype);
  const BodyDef& def = world.scene.bodies[prototype];
  const Pose pose = body_pose(world, prototype, {def.position, normalized(def.orientation)});
  const Quat& q = pose.orientation;
  world.bodies.set_position(slot, pose.position);
  world.bodies.set_orientation(slot, q);
  world.controls.control[slot] = def.control;
  world.controls.owners[slot] = def.owner;
  if (def.kind == BodyKind::anchor) return;
  world.bodies.set_velocity(slot, def.velocity);
  world.bodies.set_angular_momentum(
      slot, scaled(momentum_inertia(def), rotate_back(q, def.angular_velocity)));
}

void remove_body(MutableWorld& world, std::uint32_t slot) {
  ORRERY_ASSERT(world.bodies.alive(slot));
  world.bodies.vacate(slot);
  if (!world.collision) return;
  world.collision->shape_of[slot] = physics::kNoShape;
  world.collision->solver.remove_body(slot);
  world.collision->broad_phase.bodies_changed();
}

}  // namespace orrery
