// Defines the forces on bodies (springs, tethers, mutual gravity, drag, thrusts, grips, pulls) and
// applies them as kicks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/math/vec3.h"
#include "common/physics/body/bodies.h"

namespace orrery::physics {

// A damped spring between points of two bodies. Its fields are those of world/scenes/scene.h, with
// slots instead of ids. `at_a` and `at_b` are in body coordinates.
//
// `ahead` is 0 if the spring pulls by its present stretch: its kick is explicit. Otherwise the
// spring is too stiff for that (stiff_springs.h). It then pulls by the stretch that it will have
// after the time `ahead`, at the speed that the kick leaves: its kick is implicit.
struct Spring {
  std::uint32_t a;
  std::uint32_t b;
  Vec3 at_a;
  Vec3 at_b;
  double stiffness;  // force per length
  double damping;    // force per speed along the spring
  double rest_length;
  double ahead = 0;  // time
};

// A damped spring from a point of a body (body coordinates) to a fixed point of the world. `ahead`
// is that of Spring.
struct Tether {
  std::uint32_t body;
  Vec3 at;      // body coordinates
  Vec3 anchor;  // world frame
  double stiffness;
  double damping;
  double rest_length;
  double ahead = 0;  // time
};

// A body that attracts all other attractors by its gravity.
struct Attractor {
  std::uint32_t slot;
  double mass;
};

// Drag on a body, divided by its mass or moment of inertia. With v the velocity and L the angular
// momentum, dv/dt = -linear v - quadratic |v| v and dL/dt = -turning L.
struct Dragged {
  std::uint32_t slot;
  double linear;
  double quadratic;
  double turning;
};

// A force and a torque on a body, world frame.
struct Thruster {
  std::uint32_t slot;
  Vec3 force;
  Vec3 torque;
};

inline constexpr double kTau = 6.283185307179586;  // radians per cycle

// A critically damped spring of limited force from a point of a body to a target.
struct Grip {
  std::uint32_t slot;
  Vec3 at;                   // body coordinates
  Vec3 target;               // world coordinates
  double angular_frequency;  // rad per time; sets the stiffness
  double acceleration_max;   // largest acceleration of the point
};

// An acceleration towards another body, without a reaction on that body.
struct Pull {
  std::uint32_t slot;
  std::uint32_t towards;
  double acceleration;
};

// All forces that kick bodies in a tick, apart from uniform gravity. The set is rebuilt when a
// command changes a force. The scripts of a scene replace their grips and pulls in each tick, and
// limit_thrusts() replaces `thrusters` before each kick.
struct ForceSet {
  std::vector<Spring> springs;
  std::vector<Tether> tethers;
  std::vector<Attractor> attractors;
  std::vector<Dragged> dragged;
  std::vector<Thruster> held;  // thrusts as commanded
  std::vector<Thruster>
      thrusters;  // thrusts within the limits of commands (physics/motion/thrust.h)
  std::vector<Grip> grips;
  std::vector<Pull> pulls;
  double gravitational_constant = 0;
  double softening = 0;  // length in the formula of gravity: bounds the attraction of near bodies
  bool damped = false;   // true if a spring or tether feels its speed, or a body has drag
  // true: springs are damped by implicit Euler, so that they come to rest exactly where they carry
  // the forces that the same kick applied before them. false: damping is exact, without other
  // forces.
  bool damps_implicitly = false;
  std::vector<double> turns;  // memory of set_ahead(), for each slot

  // Returns true if no force of the set acts on any body.
  bool empty() const {
    return springs.empty() && tethers.empty() &&
           (attractors.empty() || gravitational_constant == 0) && dragged.empty() && held.empty() &&
           grips.empty() && pulls.empty();
  }
};

// The order in which a kick applies the forces. Two half kicks around a drift use opposite orders.
// The step is then symmetric in time, so its error is of order 2 even with damping and drag. Grips
// use implicit Euler, which has order 1.
enum class KickOrder : std::uint8_t { forward, backward };

// Changes velocities and angular momenta by the forces at the present positions over time h.
// Thrusters are separate: see kick_thrusters().
//
// - Elastic forces and gravity are exact, because positions are fixed during a kick. Springs with
//   `ahead` are implicit, and stable at any stiffness. They lose energy.
// - Damping is exact or implicit on each spring in turn (ForceSet::damps_implicitly), and therefore
//   stable at any h and any coefficient.
// - Linear and quadratic drag are each exact, and therefore stable too.
//
// Each force clamps the components of the velocities that it changes to limits::kSpeedMax. Each
// torque clamps the angular speed about each principal axis to limits::kAngularSpeedMax. Drag only
// slows bodies. A drift (drift.h) clamps nothing, so speeds may exceed both bounds after it. They
// stay finite: the uniform gravity of a drift adds at most 1e21 to a speed in a tick.
// REQUIRES: h > 0.
void kick(Bodies& bodies, const ForceSet& forces, double h, KickOrder order);

// Applies the thrusters over time h. Call it before a forward kick() or after a backward kick().
// REQUIRES: h > 0.
void kick_thrusters(Bodies& bodies, const ForceSet& forces, double h);

// Adds dv, times the body's gravity scale, to the velocity of every body in the tiles [begin, end):
// uniform gravity as a kick. Clamps each component of the velocities to limits::kSpeedMax.
// REQUIRES: begin <= end <= bodies.tiles().
void kick_uniformly(Bodies& bodies, std::uint32_t begin, std::uint32_t end, const Vec3& dv);

// Apply only the grips of kick(), or everything except the grips. Integration methods that also
// step back in time (h < 0) kick grips separately, because damping is unstable backward in time,
// and grips are damped.
// REQUIRES: kick_grips(): h > 0. kick_without_grips(): no drag, and springs and tethers without
// damping.
void kick_grips(Bodies& bodies, const ForceSet& forces, double h, KickOrder order);
void kick_without_grips(Bodies& bodies, const ForceSet& forces, double h);

}  // namespace orrery::physics
