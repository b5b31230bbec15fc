// Owns the sessions that the seeds of logs hold, and the key that some are sealed with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "common/core/hash.h"
#include "common/host/disk/segment_writer.h"
#include "common/session/log_writer.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/command_stream.h"
#include "tests/support/commit_records.h"
#include "tests/support/simulated_disk.h"

namespace orrery::fuzz {

inline constexpr const char* kLogScenes[] = {"tumble", "lander"};

// A log of 60 ticks with a checkpoint after every 20, which was not closed yet; `closed`: it was.
inline std::vector<std::uint8_t> session_log(const char* scene_name, bool closed) {
  Scene scene = built_in_scene(scene_name).value();
  scene.tick_rate = 2;
  World world(std::move(scene));
  CommandStream stream(3);
  SerialExecutor serial;
  test::MemorySink sink;
  session::SessionLog log(sink, session::make_log_header(world, "seed", codec::SessionId{}));
  for (int tick = 0; tick < 60; ++tick) {
    step(world, stream.next(world), serial);
    log.append_tick(world);
  }
  if (closed) log.close();
  return sink.bytes;
}

// The key that both are sealed with. Where a change of the simulation or of the format gives other
// sessions, it is another: seeds that are not written anew then are not sealed with it.
inline const net::Key& seal_key() {
  static const net::Key key = [] {
    net::Key made{};
    for (std::size_t i = 0; i < std::size(kLogScenes); ++i) {
      store_little_endian<8>(made.data() + 8 * i, checksum(session_log(kLogScenes[i], true)));
    }
    return made;
  }();
  return key;
}

// The log, closed and sealed, in segments that end at the first checkpoint behind so many bytes.
inline test::SimulatedDisk::Folder sealed_log(const char* scene_name, std::size_t segment_bytes) {
  const std::vector<std::uint8_t> log = session_log(scene_name, true);
  test::SimulatedDisk disk(1);
  host::SegmentWriter writer(disk, "LOG", segment_bytes);
  writer.seal_with(host::LogSealer(seal_key()));
  test::commit_records(log, writer);
  return disk.content();
}

}  // namespace orrery::fuzz
