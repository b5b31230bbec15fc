// Derives the scene, the settings of the server and the deliberate fault of a run from its options.
#include "tests/fleet/setting.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/core/assert.h"
#include "common/world/scenes/scenes.h"
#include "tests/fleet/checks/truth.h"

namespace orrery::fleet {
namespace {

constexpr std::uint32_t kBreakSeconds = 5;

}  // namespace

Scene scene_of(const RunOptions& options) {
  constexpr const char* kScenes[] = {"tethers:64", "crates:63", "free:64", "playground"};
  constexpr const char* kLargeScenes[] = {"tethers:320", "crates:300"};
  const std::uint64_t drawn = stream(options.seed, kOfScene);
  Scene scene =
      built_in_scene(options.large ? kLargeScenes[drawn % 2] : kScenes[drawn % 4]).value();
  constexpr double kAbsences[] = {60, 1, 4};
  scene.absence_max = kAbsences[drawn / 8 % 3];
  scene.sleeping = !scene.shapes.empty() && drawn / 4 % 2 == 0;
  return scene;
}

net::Access access_of(const Network& network, const Climate& climate, std::uint64_t seed) {
  SplitMix64 random(seed);
  net::Access access;
  for (auto& byte : access.key) byte = static_cast<std::uint8_t>(random.next());
  access.address = network.server();
  access.key_is_fresh = climate.crashes == 0 && random.below(2) == 0;
  return access;
}

void configure(server::SnapshotSender& snapshots, const RunOptions& options) {
  snapshots.limit(kSnapshotsPerSecond);
  snapshots.set_delta_level(static_cast<codec::DeltaLevel>(stream(options.seed, kOfLevel) % 2));
}

session::Fault fault_to_come(const World& world) {
  const std::vector<BodyDef>& bodies = world.scene().bodies;
  const auto body = std::find_if(bodies.begin(), bodies.end(),
                                 [](const BodyDef& b) { return is_dynamic(b.kind); });
  const auto slot = static_cast<std::uint32_t>(body - bodies.begin());
  ORRERY_ASSERT(body != bodies.end() && world.bodies().alive(slot));
  const Tick tick{world.tick().value + kBreakSeconds * world.scene().tick_rate};
  return {.tick = tick, .a = body_id(world, slot), .field = physics::BodyField::position_x};
}

}  // namespace orrery::fleet
