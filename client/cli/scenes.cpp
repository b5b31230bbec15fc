// Owns `orrery scenes`: the list of built-in scenes.
#include "common/world/scenes.h"

#include <cstdio>

#include "client/cli/json.h"
#include "client/cli/verbs.h"

namespace orrery {

int list_scenes(const ScenesOptions& options) {
  std::vector<std::string> items;
  for (const BuiltInScene& scene : built_in_scenes()) {
    const std::string name(scene.name);
    const std::string about(scene.about);
    if (options.json) {
      items.push_back(
          json::Object().add("name", json::of(name)).add("about", json::of(about)).text());
    } else {
      const std::string spec = name + (scene.default_count == 0 ? "" : "[:N]");
      std::printf("%-14s %s\n", spec.c_str(), about.c_str());
    }
  }
  if (options.json) {
    std::printf("%s\n", json::Object().add("scenes", json::array(items)).text().c_str());
  }
  return 0;
}

}  // namespace orrery
