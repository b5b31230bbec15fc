// Steps many small worlds of one scene with Bullet and reads their poses, to compare with the
// program `measure`.
//
//   bullet_worlds SCENE WORLDS WARM_UP_TICKS TICKS
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <vector>

#include "common/world/scenes/scenes.h"
#include "tests/bench/contact_peers.h"

int main(int count, char** arguments) {
  if (count != 5) return 2;
  const orrery::Result<orrery::Scene> scene = orrery::built_in_scene(arguments[1]);
  if (!scene) return 2;
  std::vector<std::unique_ptr<orrery::bench::ContactPeer>> worlds;
  for (int i = 0; i < std::atoi(arguments[2]); ++i) {
    worlds.push_back(orrery::bench::bullet_peer(scene.value()));
  }
  double sum = 0;
  const auto run = [&](int ticks) {
    for (int tick = 0; tick < ticks; ++tick) {
      for (const auto& world : worlds) {
        world->step(orrery::tick_time(scene.value()));
        for (std::size_t i = 0; i < scene.value().bodies.size(); ++i) {
          sum += world->pose(i).position.y;
        }
      }
    }
  };
  run(std::atoi(arguments[3]));
  const std::clock_t start = std::clock();
  run(std::atoi(arguments[4]));
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("%.6f %.3g\n", seconds, sum);
  return 0;
}
