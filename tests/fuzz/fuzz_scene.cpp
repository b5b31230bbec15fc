// Fuzzes scenes in binary and JSON. A scene that is read must be valid, survive both formats
// unchanged, and allow steps if it is small.
#include <algorithm>
#include <string>
#include <vector>

#include "common/codec/scene_codec.h"
#include "common/host/text/scene_json.h"
#include "common/host/text/scene_meaning.h"
#include "common/host/text/scene_writer.h"
#include "tests/fuzz/fuzz.h"

namespace orrery {
namespace {

Result<Scene> read_json(const std::string& text) {
  const Result<json::Document> document = json::Document::read(text);
  if (!document) return document.error();
  const auto binary = host::binary_of_json(document.value());
  if (!binary) return binary.error();
  Result<Scene> scene = codec::decode_scene(binary.value());
  if (!scene) host::located(document.value(), scene.error());
  return scene;
}

void require_same_as_json(Scene scene) {
  const Result<Scene> again = read_json(host::json_of_scene(scene));
  ORRERY_ASSERT(again.ok());
  // Writing a scene and reading it again must not change whether check_intent() accepts it.
  ORRERY_ASSERT(host::check_intent(again.value()).ok() == host::check_intent(scene).ok());
  // The writer leaves out the names if all of them are empty.
  if (again.value().names.empty()) {
    ORRERY_ASSERT(std::all_of(scene.names.begin(), scene.names.end(),
                              [](const std::string& name) { return name.empty(); }));
    scene.names.clear();
  }
  std::vector<std::uint8_t> before;
  std::vector<std::uint8_t> after;
  codec::encode_scene(scene, before);
  codec::encode_scene(again.value(), after);
  ORRERY_ASSERT(before == after);
}

void one_input(Bytes bytes) {
  const Result<Scene> scene = codec::looks_like_scene(bytes)
                                  ? codec::decode_scene(bytes)
                                  : read_json(std::string(bytes.begin(), bytes.end()));
  if (!scene) return;
  ORRERY_ASSERT(validate(scene.value()).ok());
  std::vector<std::uint8_t> once;
  codec::encode_scene(scene.value(), once);
  const Result<Scene> again = codec::decode_scene(once);
  ORRERY_ASSERT(again.ok());
  std::vector<std::uint8_t> twice;
  codec::encode_scene(again.value(), twice);
  ORRERY_ASSERT(once == twice);
  require_same_as_json(scene.value());
  if (scene.value().bodies.size() + scene.value().spare_bodies > fuzz::kBodiesMax) return;
  if (scene.value().substeps > 4) return;
  const World world(scene.value());
  fuzz::require_finite(world);
  fuzz::require_repeatable(world, 3);
}

}  // namespace
}  // namespace orrery

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  orrery::one_input({data, size});
  return 0;
}
