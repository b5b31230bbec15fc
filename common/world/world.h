// The World: a scene and its state, which everybody may read and few may change.
#pragma once

#include <algorithm>
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
#include "common/physics/rest/sleeping.h"
#include "common/physics/shape/shape.h"
#include "common/physics/solve/contact_solver.h"
#include "common/physics/sweep/continuous.h"
#include "common/physics/sweep/sensor_crossings.h"
#include "common/world/command.h"
#include "common/world/events.h"
#include "common/world/scenes/scene.h"

namespace orrery {

// Types of the state that physics defines. Layers that may not include physics use these names.
using physics::Bodies;
using physics::BodyField;
using physics::field_name;

// A client that has joined, with its grab.
struct Client {
  ClientId id{};
  Role role = Role::play;
  std::uint64_t account = 0;  // of its token; 0: none
  bool grabbing = false;
  BodyId grabbed{};
  Vec3f grab_at{};      // body coordinates
  Vec3f grab_target{};  // world coordinates
};

// Returns the number that names a client as the owner of bodies: its account, or its id if it has
// no account.
constexpr std::uint64_t owner_number(const Client& client) {
  return client.account != 0 ? client.account : client.id.value;
}

// A force and a torque that a client holds on a body, world frame.
struct HeldThrust {
  BodyId body;
  ClientId client;
  Vec3f force;
  Vec3f torque;
};

// The way of a kinematic body (command::MoveTo).
struct Way {
  BodyId body;
  Pose from;  // poses of the state, not of the shape
  Pose to;
  std::uint64_t begin = 0;  // the tick before the first tick of the way
  std::uint32_t ticks = 1;
};

// The motor of a joint as a command has set it.
struct MotorDrive {
  float speed = 0;
  float max = 0;
};

// The spring of a joint as a command has set it.
struct ServoDrive {
  float position = 0;
  float frequency = 0;
  float damping_ratio = 1;
  float max = 0;  // 0: without limit
};

// The drive of a joint: settings by commands, in place of those of the scene.
struct JointDrive {
  std::uint32_t joint = 0;  // its place in the scene's list
  std::optional<MotorDrive> motor;
  std::optional<ServoDrive> servo;
};

// The properties of a body that commands have changed.
struct BodyChange {
  BodyId body;
  // The category and mask of all its parts.
  struct Filter {
    std::uint32_t category;
    std::uint32_t mask;
    friend bool operator==(const Filter&, const Filter&) = default;
  };
  std::optional<Filter> filter;
  std::optional<float> gravity_scale;
};

// A value of the session, named by its key (command::SetValue).
struct NamedValue {
  command::Key key;
  command::Value value;  // not empty
};

// The state that commands change and physics does not. It is hashed and saved as one block
// (world/image/controls_image.h).
struct Controls {
  Vec3 gravity;
  double gravitational_constant = 0;
  std::vector<Client> clients;             // ascending by id
  std::vector<HeldThrust> thrusts;         // ascending by slot of the body
  std::vector<Way> ways;                   // ascending by slot of the body
  std::vector<JointDrive> drives;          // ascending by joint
  std::vector<NamedValue> values;          // ascending by key
  std::vector<BodyChange> changes;         // ascending by slot of the body
  std::vector<std::uint16_t> generations;  // of every slot
  std::vector<std::uint32_t> prototypes;   // of every slot: index of the scene body that it copies
  std::vector<Control> control;            // of every slot: clients that may command the body
  std::vector<std::uint64_t> owners;       // of every slot: owner_number() of the owner, or 0
  // False if every body of the scene certainly has the control and owner of the scene. Not hashed.
  bool reassigned = false;
};

// The collision detection and the solver of a solved scene (needs_contact_solver).
struct Collision {
  Collision(physics::ShapeSet shapes_in, std::uint32_t capacity, bool may_sleep);

  physics::ShapeSet shapes;                   // of the scene, and copies with other filters
  std::vector<std::uint32_t> shape_of;        // indexed by slot: shape, or kNoShape
  physics::BroadPhase broad_phase;            // not part of the state
  physics::ContactSolver solver;              // its contacts and joints are part of the state
  physics::ContinuousCollision continuous;    // not part of the state
  physics::SensorCrossings crossings;         // not part of the state
  std::optional<physics::Sleeping> sleeping;  // if the scene has sleeping; part of the state

  // Scratch of a tick.
  bool wake_all_requested = false;    // whether the next search for pairs wakes all bodies
  bool filters_changed = false;       // whether commands of this tick changed a filter
  std::vector<physics::Pair> joined;  // pairs of slots that springs or joints connect
  std::vector<std::uint32_t> held;    // slots of bodies that a force or a motor keeps awake
};

// A scene and its state at a tick. Everybody may read it. Only step(), the restore functions of
// world/image/image.h and FaultInjector (world/fault_injector.h) change it, through MutableWorld.
class World {
 public:
  // Makes the initial state, tick 0.
  // REQUIRES: validate(scene) is ok.
  explicit World(Scene scene);
  World(World&&) = default;
  World& operator=(World&&) = delete;  // only the functions named above change it

  // Constant: the scene, and the simulated time of a tick and of a substep.
  const Scene& scene() const { return scene_; }
  double tick_time() const { return tick_time_; }
  double substep_time() const { return substep_time_; }

  // The state: what an image holds.
  Tick tick() const { return tick_; }
  const physics::Bodies& bodies() const { return bodies_; }
  const Controls& controls() const { return controls_; }
  const std::optional<Collision>& collision() const { return collision_; }

  // Data derived from the state: the state hash (world/image/state_hash.h), and the current
  // springs, tethers, thrusts, grabs, attractors and drag.
  std::uint64_t hash() const { return hash_; }
  const physics::ForceSet& forces() const { return forces_; }

  // Results of the last tick: the commands that changed something, and the contacts that changed.
  const std::vector<Command>& applied() const { return applied_; }
  const Events& events() const { return events_; }

 private:
  friend struct MutableWorld;  // world/mutable_world.h

  // Constant.
  Scene scene_;
  double tick_time_;
  double substep_time_;

  // State.
  Tick tick_;
  physics::Bodies bodies_;
  Controls controls_;
  std::optional<Collision> collision_;  // if the scene is solved (needs_contact_solver)

  // Derived from the state.
  std::uint64_t hash_ = 0;
  std::uint64_t controls_hash_ = 0;  // updated when a command changes something
  physics::ForceSet forces_;         // updated by commands, by scripts and in every substep

  // Scratch of a tick, kept to avoid allocations.
  std::vector<std::uint8_t> controls_bytes_;  // of hash_controls()
  physics::Flight flight_;                    // of the kinematic integrators
  physics::Stages stages_;                    // of integrators with stages

  // Results of the last tick.
  std::vector<Command> applied_;
  Events events_;
};

// Returns the id of the body in a slot.
// REQUIRES: The slot is occupied.
inline BodyId body_id(const World& world, std::uint32_t slot) {
  ORRERY_ASSERT(world.bodies().alive(slot));
  return make_body_id(slot, world.controls().generations[slot]);
}

// Returns true if `id` names a living body.
inline bool contains(const World& world, BodyId id) {
  const std::uint32_t slot = slot_of(id);
  return world.bodies().alive(slot) && world.controls().generations[slot] == generation_of(id);
}

// Returns the scene body that the body in a slot copies.
// REQUIRES: The slot is occupied.
inline const BodyDef& prototype_of(const World& world, std::uint32_t slot) {
  ORRERY_ASSERT(world.bodies().alive(slot));
  return world.scene().bodies[world.controls().prototypes[slot]];
}

// Returns the principal moments that convert angular velocity to the angular momentum of the state.
// They are 0 for anchors and point bodies, which do not turn. They are 1 for kinematic bodies:
// nothing changes their motion, so the state can store their angular velocity in place of an
// angular momentum.
Vec3 momentum_inertia(const BodyDef& def);

// Returns the client, or nullptr if it has not joined.
template <class ControlsOrConst>
auto find_client(ControlsOrConst& controls, ClientId id) -> decltype(controls.clients.data()) {
  const auto at = std::lower_bound(controls.clients.begin(), controls.clients.end(), id,
                                   [](const Client& c, ClientId key) { return c.id < key; });
  return at != controls.clients.end() && at->id == id ? &*at : nullptr;
}

// Returns true if the body of a slot was spawned, and not put there by the scene.
inline bool is_spawned(const World& world, std::uint32_t slot) {
  return slot >= world.scene().bodies.size() || world.controls().generations[slot] != 0;
}

// Returns the control that the state keeps for a slot without a body: the control of body 0.
inline Control control_of_free_slots(const Scene& scene) {
  return scene.bodies.empty() ? Control::anyone : scene.bodies[0].control;
}

// Returns the pose of the centre of mass and principal axes of a copy of scene body `prototype`.
// `pose` is the pose of the coordinates in which its shape is defined. Scenes give the pose of the
// shape, and bodies store the returned pose.
Pose body_pose(const World& world, std::uint32_t prototype, const Pose& pose);

// Converts a point from the coordinates in which the shape of scene body `prototype` is defined to
// body coordinates (centre of mass and principal axes).
Vec3 body_point(const World& world, std::uint32_t prototype, const Vec3& point);

}  // namespace orrery
