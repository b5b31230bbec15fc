// Makes a session that tests write through a SegmentWriter and read back.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "common/session/log_reader.h"
#include "common/session/log_writer.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/command_stream.h"
#include "tests/support/memory_log.h"
#include "tests/support/simulated_disk.h"

namespace orrery::test {

inline constexpr int kTicks = 60;
inline constexpr int kTicksPerCommit = 4;
// Room for two checkpoints and the ticks between them.
inline constexpr std::size_t kSegmentBytes = 3600;

// A session log, split into the commits that the writer receives, and the hash of each state.
struct Stream {
  std::vector<std::uint8_t> whole;
  std::vector<Bytes> commits;
  std::vector<std::uint64_t> hashes;
};

// Records kTicks ticks of random commands.
inline Stream make_stream() {
  Stream stream;
  Scene scene = built_in_scene("free:6").value();
  scene.tick_rate = 1;  // this makes a checkpoint every ten ticks
  World world(scene);
  SerialExecutor executor;
  CommandStream commands(5);
  MemorySink sink;
  std::vector<std::size_t> ends;
  session::SessionLog log(sink, session::make_log_header(world, "test", codec::SessionId{1, 2, 3}));
  stream.hashes.push_back(world.hash);
  for (int tick = 1; tick <= kTicks; ++tick) {
    step(world, commands.next(world), executor);
    log.append_tick(world);
    stream.hashes.push_back(world.hash);
    if (tick % kTicksPerCommit == 0) ends.push_back(sink.bytes.size());
  }
  log.close();
  ends.push_back(sink.bytes.size());
  stream.whole = std::move(sink.bytes);
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    stream.commits.push_back(Bytes(stream.whole).subspan(begin, end - begin));
    begin = end;
  }
  return stream;
}

// Returns the same session for all tests.
inline const Stream& session() {
  static const Stream stream = make_stream();
  return stream;
}

// The ticks that a reader found and the way the log ends.
struct Found {
  std::uint64_t ticks = 0;
  session::LogTail tail;
};

// Reads a log as every tool does and compares it with the session. Ticks after `same` are not
// compared, because the session may have continued differently there.
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
