// Implements `orrery scenes`: lists the built-in scenes, or writes one as a scene file.
#include "common/world/scenes/scenes.h"

#include <cstdio>

#include "client/cli/json.h"
#include "client/cli/unusable.h"
#include "client/cli/verbs/verbs.h"
#include "common/core/limits.h"
#include "common/core/printable.h"
#include "common/host/text/scene_file.h"
#include "common/host/text/scene_writer.h"

namespace orrery::cli {
namespace {

struct ScenesOptions {
  std::string scene;  // scene to write as a scene file; empty: list all
  bool json = false;
};

int print_scene(const std::string& spec) {
  Problem warning;
  const Result<Scene> scene = host::load_scene(spec, &warning);
  if (!scene) return unusable(scene.error().text());
  if (warning) unusable("warning: " + warning->text(), 0);
  const std::string text = host::json_of_scene(scene.value());
  if (text.size() > limits::kSceneTextBytesMax) {
    return unusable(printable(spec) + ": takes " + std::to_string(text.size()) +
                    " bytes as JSON, but a scene file has at most " +
                    std::to_string(limits::kSceneTextBytesMax) + "; give a smaller count");
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

int list_scenes(const ScenesOptions& options) {
  if (!options.scene.empty()) return print_scene(options.scene);
  std::vector<json::Text> items;
  for (const BuiltInScene& scene : built_in_scenes()) {
    const std::string name(scene.name);
    const std::string about(scene.about);
    if (options.json) {
      items.push_back(json::object({{"name", name}, {"about", about}}));
    } else {
      const std::string spec = name + (scene.default_count == 0 ? "" : "[:N]");
      std::printf("%-14s %s\n", spec.c_str(), about.c_str());
    }
  }
  if (options.json) {
    json::print(json::object({{"scenes", json::array(items)}}));
  }
  return 0;
}

}  // namespace

void add_scenes(Verb& program) {
  auto [verb, options] =
      program.add_verb("scenes", "List the built-in scenes, or write one as a scene file",
                       "  orrery scenes\n"
                       "  orrery scenes spheres:50 --json > spheres.json\n"
                       "\n"
                       "Edit spheres.json, then: orrery run spheres.json",
                       list_scenes);
  Option scene =
      verb.option("SCENE", options.scene, "Scene to write to the output as a scene file");
  scene.needs(verb.flag("--json", options.json, "Print one JSON object"));
}

}  // namespace orrery::cli
