// Owns the watch over the files of a log that is being written: other programs may damage them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/core/ids.h"
#include "common/host/disk/file_system.h"

namespace orrery::host {

// A segment that no longer has all that was written to it.
struct SegmentLoss {
  std::uint32_t segment = 0;
  Tick after;        // the log is whole up to here
  std::string what;  // one line, with the name of the file
};

class SegmentWatch {
 public:
  // Watches segments of the log at `path`. `files` outlives the watch.
  SegmentWatch(FileSystem& files, std::string path) : files_(files), path_(std::move(path)) {}

  // Watches a segment that an earlier run has written. It begins after this tick, and has at least
  // the bytes that it has now.
  void add_earlier(std::uint32_t segment, Tick after);

  // A segment with its header has got its name; it begins behind this tick. No earlier one is
  // written any more.
  void begin(std::uint32_t segment, Tick after);

  // The last segment that began has so many bytes.
  void grow(std::uint64_t bytes);

  // Looks at the last segment, and in turn at a part of the earlier ones: six checks look at all of
  // them, as long as there are at most 3,072. A check never looks at more than 513 segments, and a
  // look is one system call. Returns each loss once.
  std::optional<SegmentLoss> check();

 private:
  struct Watched {
    std::uint32_t segment = 0;
    Tick after;
    FileLook file;  // with the bytes that it has at least
    bool lost = false;
  };

  Watched watched(std::uint32_t segment, Tick after);
  std::optional<SegmentLoss> check(Watched& watched, bool is_last);

  FileSystem& files_;
  const std::string path_;
  std::vector<Watched> earlier_;
  std::optional<Watched> last_;  // the only one that is written
  std::size_t turn_ = 0;         // the earlier segment to look at next
};

}  // namespace orrery::host
