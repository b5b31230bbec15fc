// Owns the watch over the files of a log that is being written: other programs may damage them.
#include "common/host/segment_watch.h"

#include <algorithm>
#include <cerrno>

#include "common/core/assert.h"
#include "common/core/printable.h"
#include "common/host/log_segments.h"

namespace orrery {
namespace {

// With some 14 checks a second, a log of 100 segments is looked at once in two seconds.
constexpr std::size_t kEarlierPerCheck = 4;

}  // namespace

void SegmentWatch::begin(std::uint32_t segment, Tick after) {
  Watched watched{segment, after, {}, false};
  // Without an answer the next check finds another file.
  static_cast<void>(files_.look(segment_path(path_, segment), watched.file));
  segments_.push_back(watched);
}

void SegmentWatch::grow(std::uint64_t bytes) {
  ORRERY_ASSERT(!segments_.empty());
  segments_.back().file.size = bytes;
}

std::optional<SegmentLoss> SegmentWatch::check() {
  if (segments_.empty()) return {};
  if (auto loss = check(segments_.back(), true)) return loss;
  const std::size_t earlier = segments_.size() - 1;
  for (std::size_t i = 0; i < std::min(kEarlierPerCheck, earlier); ++i) {
    if (auto loss = check(segments_[turn_++ % earlier], false)) return loss;
  }
  return {};
}

std::optional<SegmentLoss> SegmentWatch::check(Watched& watched, bool is_last) {
  if (watched.lost) return {};
  const std::string path = segment_path(path_, watched.segment);
  FileLook now;
  const int known = files_.look(path, now);
  const bool removed = known == -ENOENT || known == -ENOTDIR;
  if (known < 0 && !removed) return {};  // a disk that fails says nothing about the file
  std::string what;
  if (removed) {
    what = "was removed";
  } else if (!now.is_same_file(watched.file)) {
    if (is_last) what = "was replaced";
    watched.file = now;  // an earlier segment is replaced when it is packed
  } else if (now.size < watched.file.size) {
    what = "was cut from " + std::to_string(watched.file.size) + " to " + std::to_string(now.size) +
           " bytes";
  }
  if (what.empty()) return {};
  watched.lost = true;
  return SegmentLoss{
      watched.segment, watched.after,
      printable(path) + ": " + what + " by another program; put it back, or the log ends here"};
}

}  // namespace orrery
