// Declares the set-ups of `bench fidelity`, and the engines that simulate them.
#pragma once

#include <memory>

#include "common/math/pose.h"
#include "common/world/scenes/scene.h"

namespace orrery::bench {

// The motion of a body: its pose in the coordinates of its shape, and its velocities in world axes.
struct BodyMotion {
  Pose pose;
  Vec3 velocity;
  Vec3 angular_velocity;
};

// A scene in an engine.
class Simulation {
 public:
  virtual ~Simulation() = default;
  // Simulates 1/60 s.
  virtual void tick() = 0;
  virtual BodyMotion motion(std::size_t body) const = 0;
};

// Each function builds the scene in an engine that makes `substeps` equal steps in a tick. In a
// scene with joints, bodies do not touch each other. No body sleeps.
std::unique_ptr<Simulation> simulate_orrery(const Scene& scene, std::uint32_t substeps);
// Bullet 3.24 as packaged by Debian: binary32, sequential impulses with the default 10 iterations
// and, unless something bounces, default error reduction.
std::unique_ptr<Simulation> simulate_bullet(const Scene& scene, std::uint32_t substeps);
// ODE 0.16 as packaged by Debian: binary64, dWorldStep (a direct solver), default softness. A step
// removes a share of 0.8 of the error of a joint, and 0.2 (the default) of an overlap.
std::unique_ptr<Simulation> simulate_ode(const Scene& scene, std::uint32_t substeps);

// Returns the moments of inertia of a body about the axes of its shape. A scene holds the moments
// about the principal axes, which may have another order.
Vec3 moments_of(const Scene& scene, const BodyDef& body);

// The set-ups. Body 0 is fixed, unless said otherwise. Lengths are in m, masses in kg, moments of
// inertia in kg m^2, angles in rad and spins in rad/s.

// A rod of 1 m and 1 kg that hangs from a hinge, at rest at `angle` from the vertical. Its
// principal moments are 1.01/12, 0.02/12 and 1.01/12.
Scene make_pendulum(double angle);
// Two bodies of 1 kg on ball joints, 1 and 2 m from the fixed point and level with it. Each
// principal moment of a body is 0.01.
Scene make_double_pendulum();
// A top of 1 kg on a ball joint 0.5 m below its centre, tilted by 0.5, in steady precession.
Scene make_top(double spin);
// Returns the rate of the steady precession of the top of make_top(), in rad/s: the slow root of
// its equation (H. Goldstein, Classical Mechanics, 5.7). If the root is complex, returns its real
// part.
double precession_of_top(double spin);
// Five free rods of 1 m on hinges, bent by 0.5 at each hinge, without gravity. They begin to rotate
// about the centre of mass as if they were rigid. Body 0 is the first rod.
Scene make_planar_chain();
// The built-in scene `chain`: 50 links, and at their end a weight with 100 times the mass of a
// link. The chain begins straight, 45 degrees below horizontal.
Scene make_long_chain();
// A ball of radius 0.5 on a floor with friction 0.5, with a speed of 7 m/s along x and no spin.
Scene make_slipping_ball();
// A ball of radius 0.5 at rest, with its lowest point `height` above a floor.
Scene make_dropped_ball(double height, double restitution);
// A cube of 1 m on a floor. Gravity is tilted by 20 degrees.
Scene make_slope(double friction);
// A ball that spins with 50 rad/s about an axis 0.3 from vertical, on a floor with friction 0.5.
Scene make_spinning_ball();
// 27 tilted capsules in a grid of 3 x 3 x 3. The lowest are about 0.5 m above a floor.
Scene make_capsules();

}  // namespace orrery::bench
