// Makes logs on a simulated disk that fails.
#pragma once

#include <cstdint>
#include <vector>

#include "common/host/disk/log_segments.h"
#include "common/host/disk/segment_writer.h"
#include "tests/support/session.h"
#include "tests/support/simulated_disk.h"

namespace orrery::test {

// The failure in the middle of a session.
enum class Loss : std::uint8_t {
  sync,   // a sync fails, so its data is written again in a new segment
  ticks,  // memory runs out, so the ticks up to the next checkpoint are skipped
};

// A log of two segments. The second segment has `after_loss` set. After a failed sync the first
// segment also contains ticks that do not count.
struct LossyLog {
  MemorySegments log;
  std::vector<std::uint64_t> hashes;  // hashes of states 0, 1, ...
  std::uint64_t durable = 0;          // the last tick of the first segment that counts
};

// Records `ticks` ticks of random commands with one loss half way.
inline LossyLog lossy_log(const Scene& scene, std::uint64_t seed, int ticks, Loss loss) {
  constexpr int kCommitTicks = 4;
  const int bad_commit = ticks / kCommitTicks / 2;  // counted from 1
  SimulatedDisk disk(seed);
  host::SegmentWriter writer(disk, "LOG", std::size_t{1} << 30);
  MemorySink sink;
  World world(scene);
  SerialExecutor executor;
  CommandStream commands(seed);
  session::SessionLog session(sink, session::make_log_header(world, "test", codec::SessionId{1}));
  LossyLog made;
  made.hashes.push_back(world.hash);
  for (int tick = 1; tick <= ticks; ++tick) {
    step(world, commands.next(world), executor);
    session.append_tick(world);
    made.hashes.push_back(world.hash);
    if (tick % kCommitTicks != 0) continue;
    const bool bad = tick == bad_commit * kCommitTicks;
    if (bad && loss == Loss::ticks) {
      writer.skip_to_checkpoint();
      sink.bytes.clear();
    }
    if (bad && loss == Loss::sync) {
      const bool checkpoint =
          static_cast<unsigned>(tick) % (session::kCheckpointSeconds * scene.tick_rate) == 0;
      // Fault the last sync. A write and a sync precede a checkpoint, and two more calls write it.
      disk.set_faults({{disk.calls() + (checkpoint ? 4 : 2)}});
    }
    writer.commit(sink.bytes);
    sink.bytes.clear();
    if (bad) made.durable = writer.state().durable.value;
  }
  session.close();
  writer.commit(sink.bytes);
  const SimulatedDisk::Folder folder = disk.content();
  ORRERY_ASSERT(folder.size() == 2 && !writer.state().failing);
  made.log.segments = {folder.at("LOG"), folder.at(host::segment_path("LOG", 1))};
  return made;
}

}  // namespace orrery::test
