// Owns the scene: everything about a session that no tick changes, and the initial state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/math/quat.h"
#include "common/math/vec3.h"
#include "common/physics/joints.h"
#include "common/physics/rotation.h"
#include "common/physics/shape.h"
#include "common/physics/thrust.h"

namespace orrery {

enum class BodyKind : std::uint8_t {
  rigid,      // mass and principal inertia; moves and turns
  point,      // mass; moves, does not turn
  anchor,     // nothing moves it
  kinematic,  // goes on with the velocities that the scene gives it: it pushes, nothing pushes it
};

// Whether forces, contacts, joints and commands change its motion.
constexpr bool is_pushed(BodyKind kind) {
  return kind == BodyKind::rigid || kind == BodyKind::point;
}

// Who may command a body, besides admins.
enum class Control : std::uint8_t { nobody, anyone, owner };

// What becomes of a command beyond the limits of the scene: as much of it as is within them, or
// nothing.
enum class Excess : std::uint8_t { clamp, refuse };

// How forces and motion are interleaved in a substep (world/substep.cpp; names in
// world/methods.cpp). The first three are those of rules 1, in the order of the old enumeration of
// schema/scene.fbs.
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

constexpr bool is_kinematic(Integrator i) {
  return i == Integrator::kinematic || i == Integrator::kinematic_average;
}
constexpr bool has_stages(Integrator i) {
  return i == Integrator::explicit_euler || i == Integrator::backward_euler || i == Integrator::rk4;
}
// Parts of a step go back in time.
constexpr bool goes_back(Integrator i) {
  return i == Integrator::pefrl || i == Integrator::yoshida4;
}

struct BodyDef {
  BodyKind kind = BodyKind::rigid;
  Control control = Control::anyone;
  std::uint32_t owner = 0;  // the client id that `Control::owner` means; 0: the one that spawned it
  double mass = 1;
  Vec3 inertia{1, 1, 1};  // principal moments about the centre of mass, body axes
  Vec3 position;
  Vec3 velocity;
  Quat orientation;
  Vec3 angular_velocity;  // world frame, rad per time unit
  double gravity_scale = 1;
  double linear_drag = 0;            // force per speed; turning slows at the same rate
  double quadratic_drag = 0;         // force per speed squared
  Vec3 half_extents{0.5, 0.5, 0.5};  // how to draw it
  // Place in the shapes of the scene; kNoShape: touches nothing. Position and orientation are those
  // of the shape's coordinates; mass and inertia are about its centre of mass and principal axes.
  std::uint32_t shape = kNoShape;
};

// A damped spring between points that are fixed in two bodies (body coordinates).
struct SpringDef {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  Vec3 at_a;
  Vec3 at_b;
  double stiffness = 0;  // force per length
  double damping = 0;    // force per speed along the spring
  double rest_length = 0;
};

// A damped spring from a point of a body to a point of the world.
struct TetherDef {
  std::uint32_t body = 0;
  Vec3 at;
  Vec3 anchor;
  double stiffness = 0;
  double damping = 0;
  double rest_length = 0;
};

// What moves a body without a client: a hand that in each leg of `period` ticks pulls it towards a
// place, drawn from `seed` and the number of the leg within `range` of `centre` along x and z. In
// every second leg the body pulls those whose centres are within `reach` of its own.
struct ScriptDef {
  std::uint32_t body = 0;
  std::uint64_t seed = 0;
  std::uint32_t period = 120;
  Vec3 centre;
  double range = 0;
  double frequency = 0.25;       // of the hand's spring, cycles per time unit
  double acceleration_max = 30;  // limit of its force, divided by the mass
  double reach = 0;
  double pull = 0;  // acceleration of what is pulled
};

// A joint between points of two bodies. Its axes are those that make `axis` the x axis, in both
// bodies as the scene puts them: angles are measured from there.
struct JointDef : JointSettings {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  Vec3 at_a;  // body coordinates
  Vec3 at_b;
  Vec3 axis{1, 0, 0};  // coordinates of a, of any length
};

struct Scene {
  std::string name;
  std::string about;
  std::uint32_t tick_rate = 60;  // ticks per second of real time
  // Simulated time per tick, in the scene's time unit, as a ratio; 0 / 0 means 1 / tick_rate.
  std::uint64_t tick_time_numerator = 0;
  std::uint64_t tick_time_denominator = 0;
  std::uint32_t substeps = 1;
  Integrator integrator = Integrator::velocity_verlet;
  Rotation rotation = Rotation::cayley;
  bool sleeping = false;               // whether bodies at rest are left alone (physics/sleeping.h)
  Vec3 gravity;                        // uniform acceleration
  double gravitational_constant = 0;   // of mutual gravity; 0: none
  double softening = 0;                // length added in quadrature to distances of mutual gravity
  double grab_frequency = 3;           // of the spring of a grab, cycles per time unit
  double grab_acceleration_max = 200;  // limit of the force of a grab, divided by the mass
  CommandLimits command_limits;        // of what commands do to bodies (physics/thrust.h)
  Excess command_excess = Excess::clamp;
  std::uint32_t spare_bodies = 64;  // room for spawned bodies
  double interest_radius = 0;       // clients are told of what is nearer to theirs; 0: of all
  std::vector<BodyDef> bodies;      // body i has id i
  std::vector<std::string> names;   // empty, or one for each body
  std::vector<SpringDef> springs;
  std::vector<TetherDef> tethers;
  std::vector<ShapeDef> shapes;
  std::vector<ScriptDef> scripts;
  std::vector<JointDef> joints;
};

// True if the solver of contacts and joints has a part in the ticks of a scene: it has shapes,
// joints or kinematic bodies. Then the integrator is semi-implicit Euler, which that solver is made
// for, and the rotation cayley.
bool is_solved(const Scene& scene);

// Substeps of such scenes that do not say how many.
inline constexpr std::uint32_t kContactSubsteps = 4;

// Simulated time of a tick: the ratio, rounded once to binary64.
double tick_time(const Scene& scene);

// The shapes of a scene, or what is wrong with one.
Result<ShapeSet> make_shapes(const Scene& scene);

// Half extents of the box about the centre of mass that holds a shape without planes.
Vec3 half_extents_of(const ShapeSet& shapes, std::uint32_t shape);

// Says what is wrong with a scene, and what would be right; a World is made of sound scenes only.
Status validate(const Scene& scene);

}  // namespace orrery
