// Makes the sessions in the seeds of the target `log`, and the key that seals some of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "common/core/hash.h"
#include "common/session/writer/log_writer.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/command_stream.h"
#include "tests/support/disk_log.h"
#include "tests/support/simulated_disk.h"

namespace orrery::fuzz {

inline constexpr const char* kLogScenes[] = {"tumble", "lander"};

// Returns a log of 60 ticks with a checkpoint after every 20 ticks. A log that is not `closed` has
// neither an index nor an end record.
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

// Returns the key that seals the sessions of both scenes. It is derived from their logs. If the
// simulation or the format changes, the key changes too, and it no longer fits the seals in old
// seeds.
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

// Returns the closed and sealed log as the files of its segments. A segment ends at the first
// checkpoint after `segment_bytes` bytes.
inline test::SimulatedDisk::Folder sealed_log(const char* scene_name, std::size_t segment_bytes) {
  const std::vector<std::uint8_t> log = session_log(scene_name, true);
  test::SimulatedDisk disk(1);
  test::DiskLog writer(disk, "LOG", segment_bytes);
  writer.seal_with(host::LogSealer(seal_key()));
  test::commit_records(log, writer);
  return disk.content();
}

}  // namespace orrery::fuzz
