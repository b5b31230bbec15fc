// Declares the physics engines that the benchmark of contacts compares with: Bullet and ODE.
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

// Returns the scene in Bullet 3.24 as packaged by Debian: binary32, SSE2, sequential impulses with
// the default 10 iterations, and a tree as broad phase. No body sleeps.
std::unique_ptr<ContactPeer> bullet_peer(const Scene& scene);

// Returns the scene in ODE 0.16 as packaged by Debian: binary64, dWorldQuickStep with `iterations`,
// and a hash space. No body sleeps. With two threads or more, ODE shares the work of its solver.
std::unique_ptr<ContactPeer> ode_peer(const Scene& scene, int iterations, unsigned threads = 1);

}  // namespace orrery::bench
