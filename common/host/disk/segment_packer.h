// Owns the thread that packs the closed segments of a log.
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

// What cannot be packed stays as it is. Where the disk or the memory had no room, or the disk
// failed, it is tried again with the next segment and at the end.
class SegmentPacker {
 public:
  // Of the log at `path`. `files` outlives it.
  SegmentPacker(FileSystem& files, std::string path);
  // Waits until all are packed that can be.
  ~SegmentPacker();
  SegmentPacker(const SegmentPacker&) = delete;
  SegmentPacker& operator=(const SegmentPacker&) = delete;

  // Packs a segment, to which nothing is written any more, when those before are done. Returns at
  // once.
  void pack(std::uint32_t segment);

  // Packs nothing more: segments that are not packed yet stay as they are. Returns at once.
  void cancel() { cancelled_ = true; }

 private:
  struct Closed {
    std::uint32_t segment = 0;
    bool draft_is_ours = false;  // one is left of an earlier try
  };

  void pack_until_closed();
  // True if the segment is packed now, or cannot be at any time.
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
