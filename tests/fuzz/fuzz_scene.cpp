// Owns the fuzz target of scenes: what decodes is sound, encodes again, and can be stepped.
#include <vector>

#include "common/codec/scene_codec.h"
#include "tests/fuzz/fuzz.h"

namespace orrery {
namespace {

void one_input(Bytes bytes) {
  const Result<Scene> scene = decode_scene(bytes);
  if (!scene) return;
  ORRERY_ASSERT(validate(scene.value()).ok());
  std::vector<std::uint8_t> once;
  encode_scene(scene.value(), once);
  const Result<Scene> again = decode_scene(once);
  ORRERY_ASSERT(again.ok());
  std::vector<std::uint8_t> twice;
  encode_scene(again.value(), twice);
  ORRERY_ASSERT(once == twice);
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
