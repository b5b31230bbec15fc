// Removes the records of old segments of a log, so that a long session does not fill the disk.
#pragma once

#include <cstdint>
#include <string>

#include "common/host/disk/file_system.h"
#include "common/session/writer/segmented_log.h"

namespace orrery::host {

// The part of a log that is kept. 0 means no limit.
struct KeepLimit {
  std::uint64_t bytes = 0;    // size of the files of all closed segments
  std::uint64_t seconds = 0;  // time since the last record of a segment was written
};

// The closed segments of a log that is being written. Removes the oldest ones beyond a limit. A
// removed segment keeps its file, with its header and a removal.
//
// Two segments are never removed: the first, because it has the scene, and the last closed one. A
// resume thus always finds checkpoints in a closed segment, besides those of the open one.
class SegmentRemover {
 public:
  // `files` outlives this object.
  SegmentRemover(FileSystem& files, std::string path, const KeepLimit& limit)
      : files_(files), path_(std::move(path)), limit_(limit) {}

  // Removes what exceeds the limit. `newest` is the number of the last closed segment, `now` the
  // time in Unix seconds. Tries a segment again in the next call if the disk fails. Returns all
  // ticks whose records are removed.
  session::RemovedTicks enforce(std::uint32_t newest, std::uint64_t now);

 private:
  // Returns the number of the first segment to keep. REQUIRES: first_ <= newest.
  std::uint32_t first_to_keep(std::uint32_t newest, std::uint64_t now) const;
  // Passes the segments that were removed already, perhaps in an earlier run.
  void pass_removed(std::uint32_t newest);
  // Removes the records of a segment. Returns false if the disk fails.
  bool remove(std::uint32_t segment);

  FileSystem& files_;
  const std::string path_;
  const KeepLimit limit_;
  std::uint32_t first_ = 1;  // earlier segments are removed, or cannot be
  session::RemovedTicks removed_;
};

}  // namespace orrery::host
