// Steps a world without C++ exceptions and RTTI, as in an engine such as Unreal.
//
//   c++ -fno-exceptions -fno-rtti engine.cpp $(pkg-config --cflags --libs orrery) -o engine
#include <cinttypes>
#include <cstdio>
#include <vector>

#include "orrery.h"

// An actor of the engine: a transform in centimetres, z up, left-handed.
struct Transform {
  double translation[3];
  double rotation[4];
};

int main(int count, char** arguments) {
  char why[512];
  orrery_world* world = nullptr;
  const char* const scene = count > 1 ? arguments[1] : "playground";
  if (orrery_world_from_name(scene, &world, why, sizeof why) != ORRERY_OK) return 2;
  orrery_space space = {};
  space.size = sizeof space;
  space.axes = ORRERY_Z_UP_LEFT;
  space.units = 100;
  if (orrery_set_space(world, &space) != ORRERY_OK) return 1;
  orrery_world_info info = {};
  info.size = sizeof info;
  if (orrery_get_world_info(world, &info) != ORRERY_OK) return 1;
  std::vector<Transform> transforms(info.bodies);
  for (int tick = 0; tick < 1000; ++tick) {
    if (orrery_world_step(world, nullptr, 0) != ORRERY_OK) return 1;
    const std::uint32_t what = ORRERY_POSITION | ORRERY_ORIENTATION | ORRERY_DOUBLE;
    if (orrery_world_read(world, nullptr, what, transforms.data(), sizeof(Transform),
                          info.bodies) != ORRERY_OK) {
      return 1;
    }
  }
  orrery_get_world_info(world, &info);
  std::printf("tick %" PRIu64 " hash 0x%016" PRIx64 "\n", info.tick, info.hash);
  std::printf("body 0 at %.1f, %.1f, %.1f\n", transforms[0].translation[0],
              transforms[0].translation[1], transforms[0].translation[2]);
  orrery_world_destroy(world);
  return 0;
}
