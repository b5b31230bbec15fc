// Runs the scripts of a scene: random targets and pulls.
#include "common/world/script.h"

#include <algorithm>

#include "common/core/hash.h"
#include "common/core/rng.h"
#include "common/world/sleep.h"

namespace orrery {
namespace {

Vec3 draw_target(const ScriptDef& script, std::uint64_t leg) {
  ORRERY_ASSERT(script.range >= 0);
  SplitMix64 draw(mix64(script.seed) + leg);
  Vec3 target = script.centre;
  target.x += script.range * draw.symmetric();
  target.z += script.range * draw.symmetric();
  return target;
}

void pull_near(MutableWorld& world, const ScriptDef& script) {
  ORRERY_ASSERT(world.bodies.alive(script.body));
  const Vec3 centre = world.bodies.position(script.body);
  for (std::uint32_t slot = 0; slot < world.bodies.slots(); ++slot) {
    if (slot == script.body || !world.bodies.alive(slot)) continue;
    if (!is_dynamic(prototype_of(world, slot).kind)) continue;
    const Vec3 offset = world.bodies.position(slot) - centre;
    if (!(dot(offset, offset) <= script.reach * script.reach)) continue;
    wake(world, slot);
    world.forces.pulls.push_back({slot, script.body, script.pull});
  }
}

}  // namespace

void run_scripts(MutableWorld& world) {
  physics::ForceSet& forces = world.forces;
  ORRERY_ASSERT(forces.grips.size() <= limits::kClientsMax + limits::kScriptsMax);
  const auto& clients = world.controls.clients;
  const auto grabs = std::count_if(clients.begin(), clients.end(),
                                   [](const Client& client) { return client.grabbing; });
  forces.grips.resize(static_cast<std::size_t>(grabs));
  forces.pulls.clear();
  for (const ScriptDef& script : world.scene.scripts) {
    const bool original =
        world.bodies.alive(script.body) && world.controls.generations[script.body] == 0;
    if (!original) continue;
    const std::uint64_t leg = world.tick.value / script.period;
    forces.grips.push_back({script.body,
                            {},
                            draw_target(script, leg),
                            physics::kTau * script.frequency,
                            script.acceleration_max});
    if (leg % 2 == 1 && script.pull > 0) pull_near(world, script);
  }
}

}  // namespace orrery
