// The scene: the initial state, and everything else about a session that no tick changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/math/quat.h"
#include "common/math/vec3.h"
#include "common/physics/joints/joints.h"
#include "common/physics/motion/rotation.h"
#include "common/physics/motion/thrust.h"
#include "common/physics/shape/shape.h"
#include "common/world/command.h"

namespace orrery {

// Types of a scene that physics defines. Layers that may not include physics use these names.
using physics::kNoShape;
using physics::PartDef;
using physics::Rotation;
using physics::ShapeDef;
using physics::ShapeKind;
using physics::ShapeSet;

// The kind of a body: how it moves.
enum class BodyKind : std::uint8_t {
  rigid,      // mass and principal inertia; moves and turns
  point,      // mass; moves, does not turn
  anchor,     // fixed
  kinematic,  // keeps the velocities that the scene gives it; nothing pushes it
};

// Returns true if forces, contacts, joints and commands change the motion of a body of this kind.
constexpr bool is_dynamic(BodyKind kind) {
  return kind == BodyKind::rigid || kind == BodyKind::point;
}

// Treatment of a command beyond the limits of the scene: reduce it to the limits, or refuse all of
// it.
enum class Excess : std::uint8_t { clamp, refuse };

// The method of integration: the order of kicks and drifts in a substep (world/substep.cpp; names
// in world/scenes/methods.cpp). The first three existed in rules version 1 and keep the order of
// the old enumeration in schema/scene.fbs.
enum class Integrator : std::uint8_t {
  semi_implicit_euler,
  velocity_verlet,
  leapfrog_dkd,
  leapfrog_kdk,
  semi_implicit_euler_x_first,
  explicit_euler,
  backward_euler,
  rk4,
  tcv_full,
  pefrl,
  yoshida4,
  kinematic,
  kinematic_average,
};
inline constexpr std::size_t kIntegrators = 13;

// Returns true if the method solves flight exactly (physics/motion/flight.h).
constexpr bool is_kinematic(Integrator i) {
  return i == Integrator::kinematic || i == Integrator::kinematic_average;
}
// Returns true if the method evaluates forces in stages (physics/motion/stages.h).
constexpr bool has_stages(Integrator i) {
  return i == Integrator::explicit_euler || i == Integrator::backward_euler || i == Integrator::rk4;
}
// Returns true if parts of a step go back in time.
constexpr bool has_negative_substeps(Integrator i) {
  return i == Integrator::pefrl || i == Integrator::yoshida4;
}

// The bounds of a scene without bounds.
inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// The colour of a body for which the scene names none.
inline constexpr std::uint32_t kNoColor = 0xFFFFFFFF;

// The initial state and the constants of a body. Lengths, masses and times are in the units of the
// scene.
struct BodyDef {
  BodyKind kind = BodyKind::rigid;
  Control control = Control::anyone;
  // The owner that `Control::owner` refers to, as in command::SetControl; 0: the client that
  // spawned the body.
  std::uint64_t owner = 0;
  double mass = 1;
  Vec3 inertia{1, 1, 1};  // principal moments about the centre of mass, body axes
  Vec3 position;
  Vec3 velocity;
  Quat orientation;
  Vec3 angular_velocity;  // world frame, rad per time unit
  double gravity_scale = 1;
  double linear_drag = 0;            // force per speed; it slows rotation at the same rate
  double quadratic_drag = 0;         // force per speed squared
  Vec3 half_extents{0.5, 0.5, 0.5};  // for drawing only
  // Index into the shapes of the scene; kNoShape: touches nothing. With a shape, position and
  // orientation are those of the shape's coordinate frame. Mass and inertia are about the shape's
  // centre of mass and principal axes.
  std::uint32_t shape = physics::kNoShape;
  std::uint32_t color = kNoColor;  // for drawing only: 0xRRGGBB, or kNoColor
};

// A damped spring between two points fixed in two bodies (body coordinates).
struct SpringDef {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  Vec3 at_a;
  Vec3 at_b;
  double stiffness = 0;  // force per length
  double damping = 0;    // force per speed along the spring
  double rest_length = 0;
};

// A damped spring from a point of a body (body coordinates) to a point of the world.
struct TetherDef {
  std::uint32_t body = 0;
  Vec3 at;
  Vec3 anchor;
  double stiffness = 0;
  double damping = 0;
  double rest_length = 0;
};

// A script that moves a body without a client. Time is divided into legs of `period` ticks. In each
// leg a spring pulls the body to a random target, within `range` of `centre` along x and z. The
// target follows from `seed` and the number of the leg. In every second leg the body also pulls the
// bodies whose centres are within `reach` of its own.
struct ScriptDef {
  std::uint32_t body = 0;
  std::uint64_t seed = 0;
  std::uint32_t period = 120;
  Vec3 centre;
  double range = 0;
  double frequency = 0.25;       // of the spring, cycles per time unit
  double acceleration_max = 30;  // limit of the spring's force, divided by the mass
  double reach = 0;
  double pull = 0;  // acceleration of the pulled bodies
};

// A joint between points of two bodies. `axis` is the x axis of the joint's frame. Each body
// carries a copy of the frame. In the poses that the scene gives the bodies, the copies coincide,
// and all angles are 0.
struct JointDef : physics::JointSettings {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  Vec3 at_a;  // body coordinates
  Vec3 at_b;
  Vec3 axis{1, 0, 0};  // coordinates of a, any length
  std::string name;
  // The clients with the role play that may drive it; owner: the owner of a or of b.
  Control control = Control::nobody;
};

// The command that a key gives.
enum class KeyCommand : std::uint8_t { message, thrust, torque, impulse, set_motor, set_target };

// A key with which a player gives a command, for programs in which people play. No step reads it.
// world/scenes/keys/keys.h has its commands. A field that the command does not have is not used.
struct KeyDef {
  std::string key;    // a character, or space, up, down, left or right
  std::string label;  // of a button
  KeyCommand command = KeyCommand::message;
  std::string text;
  std::string text_released;          // empty: no message when the key is released
  std::optional<std::uint32_t> body;  // nothing: the body that the player owns
  Vec3 vector;        // as the player sees it: x to the right, y up, z to the player
  std::string joint;  // its name
  double speed = 0;   // of the joint's coordinate, as `position`
  double position = 0;
  std::optional<double> position_released;  // nothing: the position stays when the key is released
  double frequency = 0;                     // cycles per time unit
  double damping_ratio = 1;
  double max = 0;  // largest force or torque
};

// A scene: all bodies, what connects them, and the settings of a session.
struct Scene {
  std::string name;
  std::string about;
  std::uint32_t tick_rate = 60;  // ticks per second of real time
  // Simulated time of a tick, in the scene's time unit, as a ratio. 0 / 0 means 1 / tick_rate.
  std::uint64_t tick_time_numerator = 0;
  std::uint64_t tick_time_denominator = 0;
  std::uint32_t substeps = 1;
  Integrator integrator = Integrator::velocity_verlet;
  physics::Rotation rotation = physics::Rotation::cayley;
  bool sleeping = false;      // whether bodies at rest are skipped (physics/rest/sleeping.h)
  bool sleep_events = false;  // whether a body that falls asleep or wakes is an event
  // The box that bodies should not leave: if the centre of one does, this is an event. Without
  // bounds, all components are infinite.
  Vec3 bounds_lower{-kUnbounded, -kUnbounded, -kUnbounded};
  Vec3 bounds_upper{kUnbounded, kUnbounded, kUnbounded};
  Vec3 gravity;                        // uniform acceleration
  double gravitational_constant = 0;   // of mutual gravity; 0: none
  double softening = 0;                // length added in quadrature to distances of mutual gravity
  double grab_frequency = 3;           // of the spring of a grab, cycles per time unit
  double grab_acceleration_max = 200;  // limit of the force of a grab, divided by the mass
  physics::CommandLimits
      command_limits;  // how far commands may change motion (physics/motion/thrust.h)
  Excess command_excess = Excess::clamp;
  std::uint32_t spare_bodies = 64;  // free slots for spawned bodies
  // Most spawned bodies that a client with the role play may own; 0: all spare bodies.
  std::uint32_t spawned_bodies_max = 0;
  // Seconds of real time for which a client with an account keeps its spawned bodies after it left.
  double absence_max = 60;
  // Commands that a client with the role play may give in a tick, on average, 1 to
  // limits::kCommandRateMax.
  std::uint32_t commands_per_tick = 1;
  // A client receives only bodies within this distance of its own bodies. If this is 0, or the
  // client has no bodies, it receives all.
  double interest_radius = 0;
  // Snapshots of mode delta round poses to a grid (codec/delta/grid.h). The position step is the
  // distance between neighbouring positions; 0: it follows from the sizes of the bodies.
  double snapshot_position_step = 0;
  std::uint32_t snapshot_orientation_bits = 9;
  std::vector<BodyDef> bodies;     // body i has id i
  std::vector<std::string> names;  // empty, or one for each body
  std::vector<SpringDef> springs;
  std::vector<TetherDef> tethers;
  std::vector<physics::ShapeDef> shapes;
  std::vector<ScriptDef> scripts;
  std::vector<JointDef> joints;
  std::vector<KeyDef> keys;
};

// Returns true if the scene needs the solver of contacts and joints: it has shapes, joints or
// kinematic bodies. The scene must then use semi-implicit Euler, for which the solver is made, and
// the rotation cayley.
bool needs_contact_solver(const Scene& scene);

// Returns true if the scene has bounds on a side.
inline bool has_bounds(const Scene& scene) {
  constexpr Vec3 kNone{kUnbounded, kUnbounded, kUnbounded};
  return scene.bounds_lower != -kNone || scene.bounds_upper != kNone;
}

// Default number of substeps of scenes that need the contact solver.
inline constexpr std::uint32_t kContactSubsteps = 4;

// Returns the simulated time of a tick in the scene's time unit: the ratio, rounded once to
// binary64.
double tick_time(const Scene& scene);

// Returns the shapes of a scene, or an Error that names the first invalid one.
Result<physics::ShapeSet> make_shapes(const Scene& scene);

// Returns the half extents of a box that contains the shape and has the centre of mass as its
// centre. REQUIRES: The shape has no plane.
Vec3 half_extents_of(const physics::ShapeSet& shapes, std::uint32_t shape);

// Returns an Error that names the problem of a scene and a valid range or choice. A World needs a
// valid scene.
Status validate(const Scene& scene);

}  // namespace orrery
