// Fuzzes images, which are saved states of worlds. A world restored from an image must save the
// same image, unless the image has an older version. Two worlds restored from one image must make
// equal steps.
#include <vector>

#include "common/core/bytes.h"
#include "common/core/hash.h"
#include "common/world/image/image.h"
#include "common/world/scenes/scenes.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/linked_scene.h"

namespace orrery {
namespace {

// Appends the correct checksum to an input: a fuzzer would not guess it.
std::vector<std::uint8_t> with_checksum(Bytes bytes) {
  std::vector<std::uint8_t> image(bytes.begin(), bytes.end());
  ByteWriter(image).u64(checksum(bytes));
  return image;
}

// Returns the version of a sound image (schema/image.md).
std::uint32_t version_of(Bytes image) { return ByteReader(image.subspan(4)).u32(); }

void one_input(const Scene& scene, const std::vector<std::uint8_t>& image) {
  World world(scene);
  const std::uint64_t hash = world.hash();
  if (!restore_image(world, image)) {
    ORRERY_ASSERT(world.hash() == hash && world.tick() == Tick{});
    return;
  }
  fuzz::require_finite(world);
  std::vector<std::uint8_t> again;
  save_image(world, again);
  ORRERY_ASSERT(again == image || version_of(again) > version_of(image));
  World other(scene);
  ORRERY_ASSERT(restore_image(other, again).ok());
  ORRERY_ASSERT(other.hash() == world.hash());
  fuzz::require_repeatable(world, 2);
}

}  // namespace
}  // namespace orrery

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery;
  static const Scene scenes[] = {built_in_scene("playground").value(),
                                 built_in_scene("jumble:12").value(), test::linked_scene()};
  const std::vector<std::uint8_t> image = with_checksum({data, size});
  for (const Scene& scene : scenes) one_input(scene, image);
  return 0;
}
