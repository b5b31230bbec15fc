// Packs the closed segments of a log in a thread, and removes the records of old ones.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "common/host/disk/file_system.h"
#include "common/host/disk/segment_remover.h"

namespace orrery::host {

// The thread that compresses closed segments. A segment that cannot be compressed stays as it
// is. If the cause may be temporary (no space, no memory, a disk that fails), the packer tries it
// again with the next segment and when the packer ends.
class SegmentPacker {
 public:
  // Packs segments of the log at `path`. `files` outlives the packer.
  SegmentPacker(FileSystem& files, std::string path);
  // Waits until every segment that can be packed is packed, unless cancel() was called.
  ~SegmentPacker();
  SegmentPacker(const SegmentPacker&) = delete;
  SegmentPacker& operator=(const SegmentPacker&) = delete;

  // Queues a segment for packing. Returns at once.
  // REQUIRES: nothing is written to the segment any more.
  void pack(std::uint32_t segment);

  // Removes the records of the oldest closed segments beyond `limit`, from now on. Does nothing
  // without a limit. REQUIRES: called once.
  void keep(const KeepLimit& limit);

  // Returns the ticks whose records keep() removed, now or in an earlier run of the session.
  session::RemovedTicks removed() const;

  // Stops packing: segments that are not packed yet stay as they are. Returns at once.
  void cancel() { cancelled_ = true; }

 private:
  struct Closed {
    std::uint32_t segment = 0;
    bool draft_is_ours = false;  // an earlier try left its temporary file
  };

  void pack_until_closed();
  // What there is to do in a round of the thread.
  struct Work {
    std::uint32_t newest = 0;           // number of the last closed segment
    SegmentRemover* remover = nullptr;  // null: nothing is removed
    bool last = false;                  // the thread ends after the round
  };
  // Waits for closed segments, or for segments to become old. Moves the closed ones to `segments`.
  Work wait_for_work(std::list<Closed>& segments);
  // Tries to pack a segment. Returns false if another try may succeed.
  bool is_done(Closed& closed);

  FileSystem& files_;
  const std::string path_;
  std::atomic<bool> cancelled_{false};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Closed> closed_;
  std::uint32_t newest_ = 0;  // number of the last closed segment; 0: none but the first
  std::optional<SegmentRemover> remover_;  // set once; then used by the thread only
  session::RemovedTicks removed_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace orrery::host
