// Declares an engine that simulates a scene of the field suite.
#pragma once

#include <cmath>
#include <cstddef>

#include "common/math/pose.h"

namespace orrery::field {

// The motion of a body: the pose of its shape, and its velocities in world axes.
struct BodyMotion {
  Pose pose;
  Vec3 velocity;
  Vec3 angular_velocity;
};

// A scene in an engine. Times, places and velocities have the units of the written scene, even if
// the engine simulates a variation of it.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual void run(double seconds) = 0;  // the sum of all calls is rounded to whole ticks
  virtual double tick() const = 0;       // seconds
  virtual BodyMotion motion(std::size_t body) const = 0;
};

}  // namespace orrery::field
