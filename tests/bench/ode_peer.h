// Owns the same bodies in the Open Dynamics Engine.
#pragma once

#include <memory>

#include "common/world/scenes/scene.h"

namespace orrery::bench {

// A world of ODE with the bodies of a scene and undamped tethers of their centres: no geometries,
// so no broad phase, and no sleeping.
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
