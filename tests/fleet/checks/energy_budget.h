// Owns how much energy a world may have: what it began with, and the work of its commands.
#pragma once

#include <vector>

#include "common/world/world.h"

namespace orrery::fleet {

// Gravity, springs, contacts, joints and drag bring none in. What commands bring: a push the change
// of the kinetic energy, a thrust its force times the way, a grip at most its greatest force times
// the way, a body that is spawned its own, and what pushes it out of another; and while bodies
// overlap then, as those that rest on them are lifted, whatever the world has. A bound from above:
// what is lost on the way is not taken off. Of worlds without scripts, kinematic bodies and motors.
class EnergyBudget {
 public:
  // Of a world that starts, or goes on.
  explicit EnergyBudget(const World& world);

  // After each tick.
  void follow(const World& world);
  // That the world has, and may have, after that tick; J.
  double energy() const { return energy_; }
  double most() const { return most_; }

 private:
  // A body as it was after the tick before, and pushed since.
  struct Had {
    BodyId id;
    bool there = false;
    double mass = 0;
    Vec3 position;
    Vec3 velocity;
    double spin = 0;    // rad/s
    double energy = 0;  // its own, J
  };

  void remember(const World& world);
  Had* had(BodyId id);
  void add(const World& world, const command::Impulse& c);
  void add(const World& world, const command::Spawn& c);
  void add(const World& world, const command::Remove& c);
  template <class Other>
  void add(const World&, const Other&) {}
  void add_held(const World& world);

  std::vector<Had> had_;  // by slot
  double slack_;          // of the energy, for what the method does not keep
  double begun_with_;
  double energy_;
  double most_;
  double brought_ = 0;         // since the begin
  bool pushed_apart_ = false;  // bodies that overlap, since one was spawned
  double largest_;             // of these numbers, for their rounding
};

}  // namespace orrery::fleet
