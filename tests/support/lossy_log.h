// Makes logs on a disk that fails.
#pragma once

#include <cstdint>
#include <vector>

#include "common/host/disk/log_segments.h"
#include "tests/support/disk_log.h"
#include "tests/support/session.h"
#include "tests/support/simulated_disk.h"

namespace orrery::test {

// A fault of the disk in the middle of a log.
enum class Loss : std::uint8_t {
  sync,   // a sync fails: the records before it are written again, into a new segment
  ticks,  // there is no memory for the ticks up to the next checkpoint: they are lost
};

// A log of two segments. The header of the second has the flag `after_loss`. If a sync failed, the
// second segment repeats the last ticks of the first, and readers ignore these ticks in the first.
struct LossyLog {
  MemorySegments log;
  std::vector<std::uint64_t> hashes;  // of states 0, 1, ...
  std::uint64_t durable = 0;          // the last tick that was durable when the disk failed
};

inline LossyLog lossy_log(const Scene& scene, std::uint64_t seed, int ticks, Loss loss) {
  constexpr int kCommitTicks = 4;
  const int bad_commit = ticks / kCommitTicks / 2;  // number of the commit that fails, from 1 on
  SimulatedDisk disk(seed);
  DiskLog writer(disk, "LOG", std::size_t{1} << 30);
  session::RecordBatch batch;
  World world(scene);
  SerialExecutor executor;
  CommandStream commands(seed);
  session::SessionLog session(batch, session::make_log_header(world, "test", codec::SessionId{1}));
  LossyLog made;
  made.hashes.push_back(world.hash());
  for (int tick = 1; tick <= ticks; ++tick) {
    step(world, commands.next(world), executor);
    session.append_tick(world);
    made.hashes.push_back(world.hash());
    if (tick % kCommitTicks != 0) continue;
    const bool bad = tick == bad_commit * kCommitTicks;
    if (bad && loss == Loss::ticks) {
      writer.skip_to_checkpoint();
      batch.clear();
    }
    if (bad && loss == Loss::sync) {
      const bool checkpoint =
          static_cast<unsigned>(tick) % (session::kCheckpointSeconds * scene.tick_rate) == 0;
      // Fail the last sync of this commit. A commit makes one write and one sync. With a checkpoint
      // at its end it makes two of each: it writes and syncs first the ticks, then the checkpoint.
      disk.set_faults({{disk.calls() + (checkpoint ? 4 : 2)}});
    }
    writer.commit(batch);
    batch.clear();
    if (bad) made.durable = writer.state().durable.value;
  }
  session.close();
  writer.commit(batch);
  const SimulatedDisk::Folder folder = disk.content();
  ORRERY_ASSERT(folder.size() == 2 && !writer.state().failing);
  made.log.segments = {folder.at("LOG"), folder.at(host::segment_path("LOG", 1))};
  return made;
}

}  // namespace orrery::test
