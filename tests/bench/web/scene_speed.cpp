// Measures the ticks of a scene on one instruction set of this machine.
//
//   scene_speed INSTRUCTIONS SCENE TICKS ROUNDS
//
// INSTRUCTIONS is a name of Highway, such as SSE4, or `best`. Prints the instruction set, the CPU
// seconds of the fastest round, and the state hash after it.
#include <hwy/targets.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/bench/table.h"

namespace orrery::bench {
namespace {

constexpr int kWarmUp = 10;

// Restricts the dispatch to the instruction set with this name. Returns its name, or nothing if
// this machine or the build does not have it. `best` is the widest.
std::string choose(const std::string& name) {
  const std::int64_t usable = hwy::SupportedTargets() & HWY_TARGETS & ~HWY_SSSE3;
  for (std::int64_t rest = usable; rest != 0; rest &= rest - 1) {
    const std::int64_t target = rest & -rest;  // the widest has the lowest bit
    if (name != "best" && name != hwy::TargetName(target)) continue;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return hwy::TargetName(target);
  }
  return {};
}

int measure(const std::string& instructions, const std::string& scene, int ticks, int rounds) {
  const std::string chosen = choose(instructions);
  const Result<Scene> known = built_in_scene(scene);
  if (chosen.empty() || !known) return 2;
  SerialExecutor serial;
  Best best;
  std::uint64_t hash = 0;
  for (int round = 0; round < rounds; ++round) {
    World world(known.value());
    for (int i = 0; i < kWarmUp; ++i) step(world, {}, serial);
    best.run([&] {
      for (int i = 0; i < ticks; ++i) step(world, {}, serial);
    });
    hash = world.hash();
  }
  std::printf("%s %.9f 0x%016" PRIx64 "\n", chosen.c_str(), best.seconds(), hash);
  return 0;
}

}  // namespace
}  // namespace orrery::bench

int main(int count, char** arguments) {
  if (count != 5) return 2;
  return orrery::bench::measure(arguments[1], arguments[2], std::atoi(arguments[3]),
                                std::atoi(arguments[4]));
}
