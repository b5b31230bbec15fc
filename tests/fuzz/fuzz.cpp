// Checks a world that was made from untrusted bytes.
#include "tests/fuzz/fuzz.h"

#include <cmath>
#include <vector>

#include "common/world/image/image.h"
#include "common/world/step.h"

namespace orrery::fuzz {
namespace {

std::uint64_t hash_after(World& world, std::uint64_t ticks) {
  SerialExecutor serial;
  for (std::uint64_t i = 0; i < ticks; ++i) step(world, {}, serial);
  require_finite(world);
  std::vector<std::uint8_t> image;
  save_image(world, image);
  World other(world.scene());
  ORRERY_ASSERT(restore_image(other, image).ok());
  ORRERY_ASSERT(other.hash() == world.hash());
  return world.hash();
}

}  // namespace

void require_finite(const World& world) {
  for (std::size_t f = 0; f < physics::kStateFields; ++f) {
    const double* const field = world.bodies().field(static_cast<physics::BodyField>(f));
    for (std::uint32_t slot = 0; slot < world.bodies().slots(); ++slot) {
      ORRERY_ASSERT(std::isfinite(field[slot]));
    }
  }
}

void require_repeatable(const World& world, std::uint64_t ticks) {
  std::vector<std::uint8_t> image;
  save_image(world, image);
  World first(world.scene());
  World second(world.scene());
  ORRERY_ASSERT(restore_image(first, image).ok());
  ORRERY_ASSERT(restore_image(second, image).ok());
  ORRERY_ASSERT(first.hash() == world.hash());
  ORRERY_ASSERT(hash_after(first, ticks) == hash_after(second, ticks));
}

}  // namespace orrery::fuzz
