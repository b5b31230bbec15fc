// The World: a scene, and everything that a tick can change.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/core/ids.h"
#include "common/math/pose.h"
#include "common/math/vec3.h"
#include "common/math/vec3f.h"
#include "common/physics/body/bodies.h"
#include "common/physics/broad/broad_phase.h"
#include "common/physics/motion/flight.h"
#include "common/physics/motion/forces.h"
#include "common/physics/motion/stages.h"
#include "common/physics/narrow/continuous.h"
#include "common/physics/rest/sleeping.h"
#include "common/physics/shape/shape.h"
#include "common/physics/solve/contact_solver.h"
#include "common/world/command.h"
#include "common/world/events.h"
#include "common/world/scenes/scene.h"

namespace orrery {

// Parts of the state that physics defines. Layers above name them through the world.
using physics::Bodies;
using physics::BodyField;
using physics::field_name;

// A client that has joined, with its grab.
struct Client {
  ClientId id{};
  Role role = Role::play;
  bool grabbing = false;
  BodyId grabbed{};
  Vec3f grab_at{};      // body coordinates
  Vec3f grab_target{};  // world coordinates
};

// A force and a torque that a client holds on a body, world frame.
struct HeldThrust {
  BodyId body;
  ClientId client;
  Vec3f force;
  Vec3f torque;
};

// The state that commands change and physics does not. It is hashed and saved as one block
// (world/image/image.cpp).
struct Controls {
  Vec3 gravity;
  double gravitational_constant = 0;
  std::vector<Client> clients;             // ascending id
  std::vector<HeldThrust> thrusts;         // ascending slot of the body
  std::vector<std::uint16_t> generations;  // of every slot
  std::vector<std::uint32_t> prototypes;   // of every slot: the scene body that its body copies
  // Of every slot: the client that Control::owner refers to; 0: none.
  std::vector<std::uint32_t> owners;
};

// The collision detection and the solver, for scenes with contacts or joints.
struct Collision {
  Collision(physics::ShapeSet shapes_in, std::uint32_t capacity, bool may_sleep);

  physics::ShapeSet shapes;                   // of the scene; never changes
  std::vector<std::uint32_t> shape_of;        // of every slot, or kNoShape
  physics::BroadPhase broad_phase;            // not part of the state
  physics::ContactSolver solver;              // its contacts and joints are part of the state
  physics::ContinuousCollision continuous;    // not part of the state
  std::optional<physics::Sleeping> sleeping;  // if the scene has sleeping; part of the state

  // Scratch of a tick.
  bool wake_all_requested = false;
  std::vector<physics::Pair> joined;
  std::vector<std::uint32_t> held;
};

// A scene and its state at a tick. The scene never changes. Only step() advances the rest, and only
// restore_image() (world/image/image.h) replaces it.
struct World {
  // Makes the initial state, tick 0.
  // REQUIRES: validate(scene_in) is ok.
  explicit World(Scene scene_in);

  Scene scene;
  double tick_time;     // simulated time of a tick
  double substep_time;  // simulated time of a substep
  Tick tick;
  std::uint64_t hash = 0;  // of the state (world/image/state_hash.h)
  physics::Bodies bodies;
  Controls controls;
  std::uint64_t controls_hash = 0;  // of `controls`; updated when a command changes something
  mutable std::vector<std::uint8_t>
      controls_bytes;                  // scratch of hash_controls(), kept to avoid allocations
  std::optional<Collision> collision;  // if the scene is solved (needs_contact_solver)
  physics::ForceSet
      forces;  // current springs, tethers, grabs and attractors; follows spawns and removals
  physics::Flight flight;        // solver of the kinematic integrators
  physics::Stages stages;        // scratch of integrators with stages
  std::vector<Command> applied;  // the commands that changed something in the last tick
  Events events;                 // of the last tick
};

// Returns the id of the body in a slot.
// REQUIRES: The slot is occupied.
inline BodyId body_id(const World& world, std::uint32_t slot) {
  ORRERY_ASSERT(world.bodies.alive(slot));
  return make_body_id(slot, world.controls.generations[slot]);
}

// Returns true if `id` names a living body.
inline bool contains(const World& world, BodyId id) {
  const std::uint32_t slot = slot_of(id);
  return world.bodies.alive(slot) && world.controls.generations[slot] == generation_of(id);
}

// Returns the scene body that the body in a slot copies.
// REQUIRES: The slot is occupied.
inline const BodyDef& prototype_of(const World& world, std::uint32_t slot) {
  ORRERY_ASSERT(world.bodies.alive(slot));
  return world.scene.bodies[world.controls.prototypes[slot]];
}

// Returns the principal moments that convert angular velocity to the angular momentum of the state.
// Zero for bodies that do not turn. One for kinematic bodies, for which mass means nothing.
Vec3 momentum_inertia(const BodyDef& def);

// Returns the client, or nullptr if it has not joined.
Client* find_client(Controls& controls, ClientId id);

// Returns the pose of the centre of mass and principal axes for a body like scene body `prototype`.
// `pose` is that of the shape's coordinates, in which scenes are written.
Pose body_pose(const World& world, std::uint32_t prototype, const Pose& pose);

// Returns a point in body coordinates. `point` is in the coordinates of the shape.
Vec3 body_point(const World& world, std::uint32_t prototype, const Vec3& point);

// Sets the constants of an occupied slot (mass, inertia, drag, shape) from scene body `prototype`.
void set_body_constants(World& world, std::uint32_t slot, std::uint32_t prototype);

// Makes a body like scene body `prototype` in a free slot, with the state that the scene gives it.
void create_body(World& world, std::uint32_t slot, std::uint32_t prototype);

// Removes the body in a slot.
void remove_body(World& world, std::uint32_t slot);

}  // namespace orrery
