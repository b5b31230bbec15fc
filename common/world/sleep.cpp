// Connects sleeping to a world: commands and removals wake bodies, springs and joints link them.
#include "common/world/sleep.h"

namespace orrery {
namespace {

// Calls `take` with each joint that is not broken.
template <class Take>
void for_each_joint(const Collision& c, Take take) {
  const physics::JointSet& joints = c.solver.joints();
  for (std::size_t i = 0; i < joints.joints().size(); ++i) {
    if (!joints.broken(i)) take(joints.joints()[i]);
  }
}

physics::Sleeping* sleeping_of(MutableWorld& world) {
  return world.collision && world.collision->sleeping ? &*world.collision->sleeping : nullptr;
}

physics::Sleeping::Links find_links(MutableWorld& world) {
  ORRERY_ASSERT(world.collision);
  Collision& c = *world.collision;
  c.joined.clear();
  for (const physics::Spring& spring : world.forces.springs)
    c.joined.push_back({spring.a, spring.b});
  c.held.clear();
  for_each_joint(c, [&c](const physics::Joint& joint) {
    c.joined.push_back({joint.a, joint.b});
    // A motor with a target speed other than 0 keeps its bodies awake, however slow it is.
    if (joint.motor_max == 0 || joint.motor_speed == 0) return;
    c.held.push_back(joint.a);
    c.held.push_back(joint.b);
  });
  for (const physics::Thruster& thruster : world.forces.held) c.held.push_back(thruster.slot);
  for (const physics::Grip& grip : world.forces.grips) c.held.push_back(grip.slot);
  for (const physics::Pull& pull : world.forces.pulls) c.held.push_back(pull.slot);
  return {c.broad_phase.pairs(), c.joined, c.held, c.broad_phase.unpushed_pairs()};
}

void search(MutableWorld& world, Executor& executor) {
  ORRERY_ASSERT(world.collision);
  Collision& c = *world.collision;
  const physics::ContactMargin margin =
      physics::contact_margin(world.controls.gravity, world.tick_time);
  c.broad_phase.update({world.bodies, c.shapes, c.shape_of}, margin, executor);
}

void search_anew(MutableWorld& world, Executor& executor) {
  world.collision->broad_phase.bodies_changed();
  search(world, executor);
}

}  // namespace

void wake(MutableWorld& world, std::uint32_t slot) {
  if (physics::Sleeping* const sleeping = sleeping_of(world)) sleeping->wake(world.bodies, slot);
}

void wake_all(MutableWorld& world) {
  if (sleeping_of(world)) world.collision->wake_all_requested = true;
}

void before_body_removed(MutableWorld& world, std::uint32_t slot) {
  ORRERY_ASSERT(world.bodies.alive(slot));
  if (!sleeping_of(world)) return;
  wake(world, slot);
  for_each_joint(*world.collision, [&](const physics::Joint& joint) {
    if (joint.a == slot) wake(world, joint.b);
    if (joint.b == slot) wake(world, joint.a);
  });
  const BodyDef& def = prototype_of(world, slot);
  if (!is_dynamic(def.kind)) wake_all(world);
}

void after_body_replaced(MutableWorld& world, std::uint32_t slot) {
  ORRERY_ASSERT(slot < world.bodies.capacity());
  if (physics::Sleeping* const sleeping = sleeping_of(world)) sleeping->replace(slot);
}

void wake_bodies_that_lost_springs(MutableWorld& world) {
  const auto original = [&world](std::uint32_t slot) {
    return world.bodies.alive(slot) && world.controls.generations[slot] == 0;
  };
  for (const physics::Spring& spring : world.forces.springs) {
    if (original(spring.a) && original(spring.b)) continue;
    wake(world, spring.a);
    wake(world, spring.b);
  }
}

// Keeps all bodies awake while the list of pairs is incomplete: a body might otherwise sleep
// although an awake one is near.
void find_pairs(MutableWorld& world, Executor& executor) {
  ORRERY_ASSERT(world.collision);
  Collision& c = *world.collision;
  search(world, executor);
  physics::Sleeping* const sleeping = sleeping_of(world);
  if (!sleeping) return;
  const physics::Sleeping::Input input{world.bodies, c.shapes, c.shape_of, c.solver.contacts(),
                                       world.controls.gravity};
  if (c.wake_all_requested) sleeping->wake_all(world.bodies);
  c.wake_all_requested = false;
  for (;;) {
    if (!c.broad_phase.complete()) sleeping->wake_all(world.bodies);
    if (!sleeping->wake_near(input, find_links(world))) break;
    search_anew(world, executor);
  }
  if (!c.broad_phase.complete()) return;
  if (sleeping->settle(input, find_links(world), world.tick_time)) search_anew(world, executor);
}

}  // namespace orrery
