// Integrates by methods that evaluate forces in stages: explicit Euler, Runge-Kutta 4, backward
// Euler.
#pragma once

#include <cstdint>
#include <vector>

#include "common/physics/motion/accelerations.h"

namespace orrery::physics {

// Integrators of x' = v, v' = a(x, v, L), L' = torque(x, v, L) over a time h at fixed attitudes. x
// is the position, v the velocity, a the acceleration, L the angular momentum. The caller rotates
// the bodies freely for a time h/2 before and after (Strang splitting). A whole step has the order
// of the method if no force causes rotation or depends on attitude, and at most order 2 otherwise.
// Equations, limits and sources: euler.h, runge_kutta.h and predictor.h in client/lab/methods. Each
// stage clamps velocities and angular momenta by bounded_velocity() and bounded_momentum()
// (force_points.h).
class Stages {
 public:
  // Allocates for `capacity` slots, and never again. Pass 0 for a world without such a method.
  explicit Stages(std::uint32_t capacity);

  // Step all bodies by h.
  // REQUIRES: h > 0, and bodies.capacity() is that of the constructor.
  void explicit_euler(Bodies& bodies, const ForceSet& forces, const Vec3& gravity, double h);
  void rk4(Bodies& bodies, const ForceSet& forces, const Vec3& gravity, double h);
  // Solves the implicit equations by kBackwardEulerRounds rounds of fixed-point iteration. The
  // iteration converges only if h times the largest angular frequency of a spring is below 1. In
  // that range explicit methods are better: this method exists only for comparison.
  void backward_euler(Bodies& bodies, const ForceSet& forces, const Vec3& gravity, double h);

 private:
  struct Motion {
    Vec3 x;
    Vec3 v;
    Vec3 l;
  };

  void remember_start(const Bodies& bodies);
  // Moves every body with an inverse mass above 0 from its state in start_ over the time h, with
  // the velocity v(slot) and the present rates.
  template <class Velocity>
  void go(Bodies& bodies, double h, Velocity v) const;
  // Adds the present velocities and rates, times `share`, to the sums of the stages.
  void add_stage(const Bodies& bodies, double share);

  std::vector<Motion> start_;
  std::vector<Motion> sum_;  // sums over the stages: x holds velocities, v accelerations, l torques
  std::vector<Rates> rates_;
};

// Fixed-point iterations of a backward Euler step.
inline constexpr int kBackwardEulerRounds = 8;

}  // namespace orrery::physics
