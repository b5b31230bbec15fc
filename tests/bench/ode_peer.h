// Steps bodies on tethers with the Open Dynamics Engine.
#pragma once

#include <memory>

#include "common/world/scenes/scene.h"

namespace orrery::bench {

// An ODE world with the bodies and tethers of a scene. A tether becomes a spring without damping
// or rest length, at the centre of its body. The world has no geometries, so it has no broad phase.
// No body sleeps.
class OdePeer {
 public:
  explicit OdePeer(const Scene& scene);
  ~OdePeer();
  OdePeer(const OdePeer&) = delete;
  OdePeer& operator=(const OdePeer&) = delete;

  void step(double h);        // dWorldStep
  void quick_step(double h);  // dWorldQuickStep

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace orrery::bench
