// Owns the watch over the files of a log that is being written: other programs may damage them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/core/ids.h"
#include "common/host/file_system.h"

namespace orrery {

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

  // A segment with its header has got its name; it begins behind this tick. No earlier one is
  // written any more.
  void begin(std::uint32_t segment, Tick after);

  // The last segment that began has so many bytes.
  void grow(std::uint64_t bytes);

  // Looks at the last segment, and in turn at a few of the earlier ones. Returns each loss once.
  std::optional<SegmentLoss> check();

 private:
  struct Watched {
    std::uint32_t segment = 0;
    Tick after;
    FileLook file;  // with the bytes that it has at least
    bool lost = false;
  };

  std::optional<SegmentLoss> check(Watched& watched, bool is_last);

  FileSystem& files_;
  const std::string path_;
  std::vector<Watched> segments_;
  std::size_t turn_ = 0;  // the earlier segment to look at next
};

}  // namespace orrery
