// Owns the scenes of runs, and the making of a key.
#include "tests/fleet/setting.h"

#include <utility>

#include "common/world/scenes.h"

namespace orrery::fleet {

Scene scene_of(const RunOptions& options) {
  constexpr const char* kScenes[] = {"tethers:64", "crates:63", "free:64", "playground"};
  constexpr const char* kLargeScenes[] = {"tethers:320", "crates:300"};
  const std::uint64_t drawn = stream(options.seed, kOfScene);
  Scene scene =
      built_in_scene(options.large ? kLargeScenes[drawn % 2] : kScenes[drawn % 4]).value();
  scene.sleeping = !scene.shapes.empty() && drawn / 4 % 2 == 0;
  return scene;
}

Access access_of(const Network& network, std::uint64_t seed) {
  SplitMix64 random(seed);
  Access access;
  for (auto& byte : access.key) byte = static_cast<std::uint8_t>(random.next());
  access.address = network.server();
  access.key_is_fresh = true;
  return access;
}

}  // namespace orrery::fleet
