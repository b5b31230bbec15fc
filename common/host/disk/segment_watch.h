// Watches the files of a log that is being written: other programs may damage them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/core/ids.h"
#include "common/host/disk/file_system.h"
#include "common/session/writer/segment_store.h"

namespace orrery::host {

// A watch over segments that notices when one is removed or cut, or when the newest one is
// replaced. Packing replaces earlier segments. Each check takes bounded time.
class SegmentWatch {
 public:
  // Watches segments of the log at `path`. `files` outlives the watch.
  SegmentWatch(FileSystem& files, std::string path) : files_(files), path_(std::move(path)) {}

  // Watches a segment that an earlier run has written. It begins after tick `after`. A file that
  // becomes shorter than it is now counts as a loss.
  void add_earlier(std::uint32_t segment, Tick after);

  // Watches a new segment that begins after tick `after`. REQUIRES: nothing is written to the
  // earlier segments any more.
  void begin(std::uint32_t segment, Tick after);

  // Records that the newest segment has grown to `bytes` bytes.
  void grow(std::uint64_t bytes);

  // Checks the newest segment and, round-robin, a part of the earlier ones: at most 513 segments,
  // each with one system call. Six checks cover up to 3,072 earlier segments. Returns the
  // first loss that it finds, and each loss only once.
  std::optional<session::SegmentLoss> check();

 private:
  struct Watched {
    std::uint32_t segment = 0;
    Tick after;
    // The file, with the size that it must have at least: a shorter file has lost bytes. Nothing
    // until a check has found the file.
    std::optional<FileLook> file;
    bool lost = false;
  };

  Watched watched(std::uint32_t segment, Tick after);
  std::optional<session::SegmentLoss> check(Watched& watched, bool is_last);

  FileSystem& files_;
  const std::string path_;
  std::vector<Watched> earlier_;
  std::optional<Watched> last_;  // the newest: the only one that is written
  std::size_t turn_ = 0;         // round-robin: the earlier segment to check next
};

}  // namespace orrery::host
