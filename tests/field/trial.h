// Runs a scene of the field suite, or a variation of it, with Orrery.
#pragma once

#include "common/core/executor.h"
#include "common/world/world.h"
#include "tests/field/variation.h"

namespace orrery::field {

class Trial : public Engine {
 public:
  // Checks that the scene is valid.
  explicit Trial(const Scene& scene, const Variation& variation = {});

  void run(double seconds) override;
  double tick() const override;
  BodyMotion motion(std::size_t body) const override;

  // Return a component that checks ask for often.
  Vec3 position(std::size_t body) const { return motion(body).pose.position; }
  Vec3 velocity(std::size_t body) const { return motion(body).velocity; }

  // Return the energy and the momentum of the bodies that can be pushed, in the scene as it was
  // written. Energy includes the potential in uniform gravity. Angular momentum is about the
  // origin.
  double energy() const;
  double kinetic() const;
  Vec3 momentum() const;
  Vec3 angular_momentum() const;

  // Return how many events of a kind there were since the start.
  std::uint32_t events(EventKind kind) const { return events_[static_cast<std::size_t>(kind)]; }
  const World& world() const { return world_; }

 private:
  std::uint32_t slot_of(std::size_t body) const;

  Scene scene_;  // as it was written
  Variation variation_;
  World world_;
  SerialExecutor executor_;
  double seconds_ = 0;  // that were asked for
  std::uint32_t events_[kEventKinds] = {};
};

}  // namespace orrery::field
