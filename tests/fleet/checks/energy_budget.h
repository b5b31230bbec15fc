// Bounds the energy of a world by its initial energy and the work of its commands.
#pragma once

#include <vector>

#include "common/world/world.h"

namespace orrery::fleet {

// An upper bound of a world's energy. Gravity, springs, contacts, joints and drag add no energy.
// Commands add:
//
// - an impulse: its change of the kinetic energy;
// - a thrust: its force times the distance, and its torque times the angle;
// - a grab: at most its maximum force times the distance;
// - a spawn: the energy of the body, and of the push out of bodies that it overlaps;
// - a removal: minus the energy of the body.
//
// While spawned bodies overlap others, any increase of the energy is allowed, because bodies that
// rest on them are lifted. Losses are ignored. REQUIRES: the world has no scripts, kinematic bodies
// or motors.
class EnergyBudget {
 public:
  // Starts the budget with the world's current energy.
  explicit EnergyBudget(const World& world);

  // Updates the budget. Call it after each tick.
  void follow(const World& world);
  // The world's energy and its upper bound after the last tick, in J.
  double energy() const { return energy_; }
  double most() const { return most_; }

 private:
  // The state of a body after the previous tick, and after the impulses since then.
  struct Had {
    BodyId id;
    bool there = false;
    double mass = 0;
    Vec3 position;
    Vec3 velocity;
    double spin = 0;    // rad/s
    double energy = 0;  // kinetic and potential, J
  };

  void remember(const World& world);
  Had* had(BodyId id);
  void add(const World& world, const command::Impulse& c);
  void add(const World& world, const command::Spawn& c);
  void add(const World& world, const command::Remove& c);
  template <class Other>
  void add(const World&, const Other&) {}
  void add_held(const World& world);

  std::vector<Had> had_;  // indexed by slot
  double slack_;          // allowed relative error of the integrator's energy
  double begun_with_;
  double energy_;
  double most_;
  double brought_ = 0;         // energy that commands have added, J
  bool pushed_apart_ = false;  // spawned bodies still overlap others
  double largest_;             // largest magnitude of these energies, for the rounding error
};

}  // namespace orrery::fleet
