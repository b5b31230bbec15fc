// Packs the closed segments of a log in a thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <thread>

#include "common/host/disk/file_system.h"

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

  // Stops packing: segments that are not packed yet stay as they are. Returns at once.
  void cancel() { cancelled_ = true; }

 private:
  struct Closed {
    std::uint32_t segment = 0;
    bool draft_is_ours = false;  // an earlier try left its temporary file
  };

  void pack_until_closed();
  // Tries to pack a segment. Returns false if another try may succeed.
  bool is_done(Closed& closed);

  FileSystem& files_;
  const std::string path_;
  std::atomic<bool> cancelled_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Closed> closed_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace orrery::host
