// Owns the World: a scene, and everything that a tick can change.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/core/ids.h"
#include "common/math/pose.h"
#include "common/math/vec3.h"
#include "common/math/vec3f.h"
#include "common/physics/bodies.h"
#include "common/physics/broad_phase.h"
#include "common/physics/contact_solver.h"
#include "common/physics/continuous.h"
#include "common/physics/flight.h"
#include "common/physics/forces.h"
#include "common/physics/shape.h"
#include "common/physics/sleeping.h"
#include "common/physics/stages.h"
#include "common/world/command.h"
#include "common/world/events.h"
#include "common/world/scene.h"

namespace orrery {

// A client that has joined, and the body that it holds.
struct Client {
  ClientId id{};
  Role role = Role::play;
  bool grabbing = false;
  BodyId grabbed{};
  Vec3f grab_at{};      // body coordinates
  Vec3f grab_target{};  // world coordinates
};

// A force and a torque that a client holds on a body.
struct HeldThrust {
  BodyId body;
  ClientId client;
  Vec3f force;
  Vec3f torque;
};

// What commands change and the physics does not: hashed and saved as one (world/image.cpp).
struct Controls {
  Vec3 gravity;
  double gravitational_constant = 0;
  std::vector<Client> clients;             // ascending id
  std::vector<HeldThrust> thrusts;         // ascending slot of the body
  std::vector<std::uint16_t> generations;  // of every slot
  std::vector<std::uint32_t> prototypes;   // of every slot: the scene body that it is like
  std::vector<std::uint32_t> owners;       // of every slot: the client that Control::owner means
};

// What bodies need that touch each other, or hang together.
struct Collision {
  Collision(ShapeSet shapes_in, std::uint32_t capacity, bool may_sleep);

  ShapeSet shapes;                      // of the scene, fixed for good
  std::vector<std::uint32_t> shape_of;  // of every slot, or kNoShape
  BroadPhase broad_phase;               // nothing of it outlasts a tick
  ContactSolver solver;                 // its contacts and joints are part of the state
  ContinuousCollision continuous;       // nothing of it outlasts a tick
  std::optional<Sleeping> sleeping;     // of scenes that say so; part of the state

  // Nothing of these outlasts a tick.
  bool all_wake = false;
  std::vector<Pair> joined;
  std::vector<std::uint32_t> held;
};

// The scene is fixed for good; of the rest, step() is the one mutator, and restore()
// (world/image.h) the one replacement.
struct World {
  // The initial state, tick 0. The scene is sound (validate).
  explicit World(Scene scene_in);

  Scene scene;
  double tick_time;     // simulated time of a tick
  double substep_time;  // of each of its substeps
  Tick tick;
  std::uint64_t hash = 0;  // of the state (world/state_hash.h)
  Bodies bodies;
  Controls controls;
  std::uint64_t controls_hash = 0;  // of `controls`, kept from command to command
  mutable std::vector<std::uint8_t>
      controls_bytes;                  // scratch of hash_controls, kept for its memory
  std::optional<Collision> collision;  // of scenes that are solved
  ForceSet forces;               // springs, tethers and who attracts; follows spawns and removals
  Flight flight;                 // what the kinematic integrators solve of them
  Stages stages;                 // scratch of integrators with stages
  std::vector<Command> applied;  // the commands that changed something in the last tick
  Events events;                 // of the last tick
};

// The id of the body in an occupied slot.
inline BodyId body_id(const World& world, std::uint32_t slot) {
  ORRERY_ASSERT(world.bodies.alive(slot));
  return make_body_id(slot, world.controls.generations[slot]);
}

// True if `id` names a body that is there now.
inline bool contains(const World& world, BodyId id) {
  const std::uint32_t slot = slot_of(id);
  return world.bodies.alive(slot) && world.controls.generations[slot] == generation_of(id);
}

// The scene body that the body in an occupied slot is like.
inline const BodyDef& prototype_of(const World& world, std::uint32_t slot) {
  ORRERY_ASSERT(world.bodies.alive(slot));
  return world.scene.bodies[world.controls.prototypes[slot]];
}

// The principal moments by which the angular momentum in the state is that of the spin: 0 of what
// does not turn, and 1 of kinematic bodies, as their mass means nothing.
Vec3 turning_inertia(const BodyDef& def);

// The client, or nullptr if it has not joined.
Client* find_client(Controls& controls, ClientId id);

// The pose of a body like scene body `prototype` (centre of mass and principal axes) whose shape's
// coordinates are at `pose`: the scene gives those.
Pose body_pose(const World& world, std::uint32_t prototype, const Pose& pose);

// The same of a point: from the coordinates of the shape to those of the body.
Vec3 body_point(const World& world, std::uint32_t prototype, const Vec3& point);

// Gives an occupied slot the constants (mass, inertia, drag, shape) of scene body `prototype`.
void place_constants(World& world, std::uint32_t slot, std::uint32_t prototype);

// Makes a body like scene body `prototype` in a free slot, in the state that the scene gives it.
void place_body(World& world, std::uint32_t slot, std::uint32_t prototype);

// Takes the body out of a slot.
void remove_body(World& world, std::uint32_t slot);

}  // namespace orrery
