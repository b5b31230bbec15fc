// Makes a session, commit by commit, and reads back its log.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "common/session/log_reader.h"
#include "common/session/writer/log_writer.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/command_stream.h"
#include "tests/support/disk_log.h"
#include "tests/support/memory_log.h"
#include "tests/support/simulated_disk.h"

namespace orrery::test {

inline constexpr int kTicks = 60;
inline constexpr int kTicksPerCommit = 4;
// Large enough for two checkpoints and the ticks between them.
inline constexpr std::size_t kSegmentBytes = 3600;

// The commits of a session to its log, and the hash of each state.
struct Stream {
  std::vector<std::uint8_t> whole;  // its log as one segment
  std::vector<session::RecordBatch> commits;
  std::vector<std::uint64_t> hashes;
};

inline Stream make_stream() {
  Stream stream;
  Scene scene = built_in_scene("free:6").value();
  scene.tick_rate = 1;  // a checkpoint every ten ticks
  World world(scene);
  SerialExecutor executor;
  CommandStream commands(5);
  session::RecordBatch batch;
  const auto cut = [&] { stream.commits.push_back(std::exchange(batch, {})); };
  session::SessionLog log(batch,
                          session::make_log_header(world, "test", codec::SessionId{1, 2, 3}));
  stream.hashes.push_back(world.hash());
  for (int tick = 1; tick <= kTicks; ++tick) {
    step(world, commands.next(world), executor);
    log.append_tick(world);
    stream.hashes.push_back(world.hash());
    if (tick % kTicksPerCommit == 0) cut();
  }
  log.close();
  cut();
  MemorySink whole;
  for (const session::RecordBatch& commit : stream.commits) pass_on(commit, whole);
  stream.whole = std::move(whole.bytes);
  return stream;
}

inline const Stream& session() {
  static const Stream stream = make_stream();
  return stream;
}

struct Found {
  std::uint64_t ticks = 0;
  session::LogTail tail;
};

// Reads a log with LogReader, as the tools do. Compares it with the session up to tick `same`.
// Later ticks may have other states.
inline Found read(const SimulatedDisk::Folder& folder, Tick same = Tick{kTicks}) {
  Found found;
  const auto first = folder.find("LOG");
  if (first == folder.end()) return found;
  MemorySource source(first->second);
  session::LogReader log(source, segments_in(folder));
  if (!log.read_header()) return found;
  session::TickRecord record;
  while (log.next(record)) {
    EXPECT_EQ(record.tick.value, ++found.ticks);
    if (record.tick <= same && record.hash != session().hashes[found.ticks]) {
      ADD_FAILURE() << "tick " << found.ticks;
    }
  }
  found.tail = log.tail();
  return found;
}

}  // namespace orrery::test
