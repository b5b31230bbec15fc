// Measures saving and restoring the image of a world.
#include <cstdint>
#include <vector>

#include "common/core/assert.h"
#include "common/world/image/image.h"
#include "common/world/scenes/scenes.h"
#include "tests/bench/rows.h"
#include "tests/bench/table.h"

namespace orrery::bench {

void print_image_rows() {
  constexpr int kTimes = 50;
  World world(built_in_scene("free:10000").value());
  std::vector<std::uint8_t> image;
  save_image(world, image);
  Best save;
  Best restore;
  for (int round = 0; round < kRounds; ++round) {
    save.run([&] {
      for (int i = 0; i < kTimes; ++i) save_image(world, image);
    });
    restore.run([&] {
      for (int i = 0; i < kTimes; ++i) ORRERY_ASSERT(restore_image(world, image).ok());
    });
  }
  const double bytes = static_cast<double>(image.size());
  const auto row = [&](const char* what, const Best& best) {
    const double seconds = best.seconds() / kTimes;
    print_row(format("%s of 10,000 bodies, checksum included", what), "0.1 ms",
              format("%.3f ms", 1e3 * seconds),
              format("%.1f GB/s of image", 1e-9 * bytes / seconds));
  };
  row("image", save);
  row("restore", restore);
}

}  // namespace orrery::bench
