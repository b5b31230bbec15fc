// Write access to a world, for the functions that advance or replace its state.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/executor.h"
#include "common/core/result.h"
#include "common/world/verdict.h"
#include "common/world/world.h"

namespace orrery {

// A world that may be changed. Functions of this layer that change a state take a MutableWorld.
// Functions that only read take a `const World&`, to which a MutableWorld converts. Each member is
// a reference to the member of World with that name, except the two constant times, which are
// copies.
struct MutableWorld {
  operator const World&() const { return world_; }

  const Scene& scene;
  const double tick_time;
  const double substep_time;

  Tick& tick;
  physics::Bodies& bodies;
  Controls& controls;
  std::optional<Collision>& collision;

  std::uint64_t& hash;
  std::uint64_t& controls_hash;
  physics::ForceSet& forces;

  std::vector<std::uint8_t>& controls_bytes;
  physics::Flight& flight;
  physics::Stages& stages;

  std::vector<Command>& applied;
  Events& events;

 private:
  // All functions and classes that may make a MutableWorld.
  friend class World;  // its constructor makes the initial state
  friend void step(World&, std::span<const Command>, Executor&, std::vector<RefusedCommand>*);
  friend Status restore_image(World&, Bytes);
  friend Status restore_image_of_other_rules(World&, Bytes, std::uint64_t);
  friend class FaultInjector;

  explicit MutableWorld(World& world)
      : scene(world.scene_),
        tick_time(world.tick_time_),
        substep_time(world.substep_time_),
        tick(world.tick_),
        bodies(world.bodies_),
        controls(world.controls_),
        collision(world.collision_),
        hash(world.hash_),
        controls_hash(world.controls_hash_),
        forces(world.forces_),
        controls_bytes(world.controls_bytes_),
        flight(world.flight_),
        stages(world.stages_),
        applied(world.applied_),
        events(world.events_),
        world_(world) {}

  const World& world_;
};

// Sets the constants of an occupied slot (mass, inertia, gravity scale, drag, prototype, shape)
// from scene body `prototype`. Ends its contacts.
void set_body_constants(MutableWorld& world, std::uint32_t slot, std::uint32_t prototype);

// Makes a body like scene body `prototype` in a free slot, with the state that the scene gives it.
void create_body(MutableWorld& world, std::uint32_t slot, std::uint32_t prototype);

// Removes the body in a slot.
void remove_body(MutableWorld& world, std::uint32_t slot);

}  // namespace orrery
