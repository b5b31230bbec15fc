// Steps bodies on tethers with the Open Dynamics Engine.
#pragma once

#include <memory>

#include "common/world/scenes/scene.h"

namespace orrery::bench {

// An ODE world with the bodies and undamped tethers of a scene. It has no geometries, so it has no
// broad phase, and no body sleeps.
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
