// Owns the forces that need more than one body, or a body and a place: springs, tethers, mutual
// gravity, drag, held thrusts, grabs and pulls.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/math/vec3.h"
#include "common/physics/body/bodies.h"

namespace orrery::physics {

// Slots instead of ids; the fields as in world/scenes/scene.h.
struct Spring {
  std::uint32_t a;
  std::uint32_t b;
  Vec3 at_a;
  Vec3 at_b;
  double stiffness;
  double damping;
  double rest_length;
};

struct Tether {
  std::uint32_t body;
  Vec3 at;
  Vec3 anchor;
  double stiffness;
  double damping;
  double rest_length;
};

struct Attractor {
  std::uint32_t slot;
  double mass;
};

// What slows a body, each per mass (or moment of inertia): -linear v - quadratic |v| v, and
// -turning L of the angular momentum.
struct Dragged {
  std::uint32_t slot;
  double linear;
  double quadratic;
  double turning;
};

// A force and torque, world frame, on a body.
struct Thruster {
  std::uint32_t slot;
  Vec3 force;
  Vec3 torque;
};

inline constexpr double kTau = 6.283185307179586;  // radians of a cycle

// A critically damped spring of limited force from a point of a body to a target.
struct Grip {
  std::uint32_t slot;
  Vec3 at;      // body coordinates
  Vec3 target;  // world coordinates
  double angular_frequency;
  double acceleration_max;
};

// An acceleration towards another body, which feels nothing of it.
struct Pull {
  std::uint32_t slot;
  std::uint32_t towards;
  double acceleration;
};

// Everything that kicks bodies in a tick. Rebuilt when a command changes it; only the thrusters are
// those of a kick.
struct ForceSet {
  std::vector<Spring> springs;
  std::vector<Tether> tethers;
  std::vector<Attractor> attractors;
  std::vector<Dragged> dragged;
  std::vector<Thruster> held;  // thrusts as commanded
  std::vector<Thruster>
      thrusters;  // the same within the limits of commands (physics/motion/thrust.h)
  std::vector<Grip> grips;
  std::vector<Pull> pulls;
  double gravitational_constant = 0;
  double softening = 0;
  bool damped = false;  // a spring or tether is damped, or a body has drag

  bool empty() const {
    return springs.empty() && tethers.empty() &&
           (attractors.empty() || gravitational_constant == 0) && dragged.empty() && held.empty() &&
           grips.empty() && pulls.empty();
  }
};

// Two half kicks around a drift run through the forces in opposite orders, which makes the whole
// symmetric, and so of order 2, with damping and drag too. Grips are implicit Euler: order 1.
enum class KickOrder : std::uint8_t { forward, backward };

// Changes velocities and angular momenta by the forces at the present positions over time h; the
// thrusters have kick_thrusters() for it.
// Elastic forces and gravity: exact, as positions stand still. Damping: Crank-Nicolson on each
// spring in turn, linear and quadratic drag: exact; so all of them are stable at any h and
// coefficient. What pushes leaves speeds within limits::kSpeedMax, what turns leaves angular speeds
// within limits::kAngularSpeedMax; drag only slows. The drift may go beyond both: uniform gravity
// by 1e21 a tick at all of its limits, which stays finite for longer than any session lasts.
void kick(Bodies& bodies, const ForceSet& forces, double h, KickOrder order);

// Lets the thrusters act over time h. They come first forward, and last backward.
void kick_thrusters(Bodies& bodies, const ForceSet& forces, double h);

// Adds dv, times its gravity scale, to the velocity of every body: uniform gravity as a kick.
void kick_uniformly(Bodies& bodies, const Vec3& dv);

// The grips alone, and the rest of kick(): for methods with steps back in time (h < 0), which
// forces that damp do not stand. Springs and tethers are then without damping, and nothing has
// drag.
void kick_grips(Bodies& bodies, const ForceSet& forces, double h, KickOrder order);
void kick_without_grips(Bodies& bodies, const ForceSet& forces, double h);

}  // namespace orrery::physics
