// Owns the peers of the benchmark of contacts: Bullet and the Open Dynamics Engine.
#pragma once

#include <memory>

#include "common/math/pose.h"
#include "common/world/scenes/scene.h"

namespace orrery::bench {

// A scene of balls and boxes in another engine.
class ContactPeer {
 public:
  virtual ~ContactPeer() = default;
  virtual void step(double h) = 0;
  virtual Pose pose(std::size_t body) const = 0;
};

// Bullet 3.24 as Debian builds it: binary32, SSE2, its default sequential impulses of 10
// iterations, a tree as broad phase; nothing sleeps.
std::unique_ptr<ContactPeer> bullet_peer(const Scene& scene);

// ODE 0.16 as Debian builds it: binary64, dWorldQuickStep of `iterations`, a hash space; nothing
// sleeps.
std::unique_ptr<ContactPeer> ode_peer(const Scene& scene, int iterations);

}  // namespace orrery::bench
