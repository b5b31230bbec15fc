// Records sessions with checksums of all their states, for tests that go to any tick.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/core/hash.h"
#include "common/session/writer/log_writer.h"
#include "common/world/image/image.h"
#include "tests/support/session.h"

namespace orrery::test {

// A session and the states after its ticks.
struct StatedSession {
  test::MemorySegments log;
  std::vector<std::uint64_t> hashes;
  std::vector<std::uint64_t> images;  // checksums of the images
  std::size_t image_bytes = 0;        // size of the largest image
};

inline void note_state(const World& world, StatedSession& session) {
  std::vector<std::uint8_t> image;
  save_image(world, image);
  session.hashes.push_back(world.hash());
  session.images.push_back(checksum(image));
  session.image_bytes = std::max(session.image_bytes, image.size());
}

// Records a session with checkpoints 10 * `rate` ticks apart.
inline StatedSession record_states(Scene scene, std::uint32_t rate, std::uint64_t ticks,
                                   std::uint64_t ticks_a_segment, std::uint64_t seed) {
  StatedSession session;
  scene.tick_time_numerator = 1;
  scene.tick_time_denominator = 60;
  scene.tick_rate = rate;
  World world(scene);
  SerialExecutor executor;
  CommandStream commands(seed);
  std::optional<session::SessionLog> log(std::in_place, session.log,
                                         session::make_log_header(world, "test", {}));
  note_state(world, session);
  for (std::uint64_t tick = 1; tick <= ticks; ++tick) {
    step(world, commands.next(world), executor);
    EXPECT_TRUE(log->append_tick(world));
    note_state(world, session);
    if (tick % ticks_a_segment == 0) test::begin_segment(world, session.log, log);
  }
  log->close();
  return session;
}

}  // namespace orrery::test
