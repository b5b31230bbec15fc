// Owns the methods that evaluate forces in stages: explicit Euler, Runge-Kutta 4, backward Euler.
#pragma once

#include <cstdint>
#include <vector>

#include "common/physics/motion/accelerations.h"

namespace orrery::physics {

// Each integrates x' = v, v' = a(x, v, L), L' = torque(x, v, L) over a time h at standing
// attitudes; whoever calls it turns the bodies by h/2 before and after (Strang), so that a whole
// step is of the method's order where no force turns or asks for the attitude, and of order 2 at
// most where one does. Equations, limits and sources: lab/methods/euler.h, runge_kutta.h,
// predictor.h. Speeds and angular speeds stay within limits.h at every stage.
class Stages {
 public:
  // For bodies of this capacity, or 0 where no method has stages. Allocates here alone.
  explicit Stages(std::uint32_t capacity);

  void explicit_euler(Bodies& bodies, const ForceSet& forces, const Vec3& gravity, double h);
  void rk4(Bodies& bodies, const ForceSet& forces, const Vec3& gravity, double h);
  // By kBackwardEulerRounds of fixed-point iteration: it converges only for h w < 1, where explicit
  // methods do better. A warning, not a recommendation.
  void backward_euler(Bodies& bodies, const ForceSet& forces, const Vec3& gravity, double h);

 private:
  struct Motion {
    Vec3 x;
    Vec3 v;
    Vec3 l;
  };

  void remember_start(const Bodies& bodies);
  // Puts every body where it comes to from the start in the time h with velocity `v` (of a slot)
  // and the present rates.
  template <class Velocity>
  void go(Bodies& bodies, double h, Velocity v) const;
  // Adds `share` of the present velocities and rates to the sum of the stages.
  void add_stage(const Bodies& bodies, double share);

  std::vector<Motion> start_;
  std::vector<Motion> sum_;  // of velocity, acceleration and torque
  std::vector<Rates> rates_;
};

inline constexpr int kBackwardEulerRounds = 8;

}  // namespace orrery::physics
