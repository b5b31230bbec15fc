// Owns the smallest program that uses Orrery as a library: steps a scene, prints the state hash.
#include <cinttypes>
#include <cstdio>

#include "common/world/scenes.h"
#include "common/world/step.h"

int main() {
  orrery::World world(orrery::built_in_scene("solar").value());
  orrery::SerialExecutor serial;
  for (int tick = 0; tick < 1000; ++tick) orrery::step(world, {}, serial);
  std::printf("solar 1000 0x%016" PRIx64 "\n", world.hash);
  return 0;
}
