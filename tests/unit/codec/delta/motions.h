// Motions of bodies by a formula, and the cost of coding them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>

#include "tests/unit/codec/delta/sessions.h"

namespace orrery::codec {

inline constexpr std::uint32_t kBodies = 30;

// Poses of a body at a tick: position in steps, and orientation.
using Motion =
    std::function<void(std::uint32_t body, double tick, Vec3& position, Quat& orientation)>;

// Returns the mean number of bits for a body in a frame, at a baseline distance of 6 and after the
// first frames.
inline double bits(const Motion& motion, double noise, DeltaLevel level = DeltaLevel::fast) {
  SplitMix64 random(3);
  DeltaScene scene = cubes(kBodies);
  scene.grid.position_step = 1;
  Pair pair(scene, level);
  int bytes = 0;
  for (std::uint64_t frame = 1; frame <= 40; ++frame) {
    QuantisedFrame out{Tick{6 * frame}, {}};
    for (std::uint32_t i = 0; i < kBodies; ++i) {
      Vec3 position;
      Quat orientation;
      motion(i, 6.0 * static_cast<double>(frame), position, orientation);
      position.x += noise * random.symmetric();
      position.z += noise * random.symmetric();
      QuantisedBody& body = out.bodies.emplace_back(body_at(i, 0, 0, 0));
      quantise(scene.grid, position, orientation, body);
    }
    const std::uint32_t reference[] = {0};
    const int size = pair.send(out, reference);
    EXPECT_GE(size, 0);
    if (frame > 10) bytes += size;
  }
  return bytes * 8.0 / (30 * kBodies);
}

// Expects that a motion costs few bits, and that noise costs more.
inline void expect_predicted(const Motion& motion, double most,
                             DeltaLevel level = DeltaLevel::fast) {
  const double exact = bits(motion, 0, level);
  EXPECT_LT(exact, most);
  EXPECT_GT(bits(motion, 300, level), exact + 6);
}

}  // namespace orrery::codec
