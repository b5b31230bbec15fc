// Watches the files of a log that is being written: other programs may damage them.
#include "common/host/disk/segment_watch.h"

#include <algorithm>
#include <cerrno>

#include "common/core/assert.h"
#include "common/core/printable.h"
#include "common/host/disk/log_segments.h"

namespace orrery::host {
namespace {

// The number of checks that together cover all earlier segments, if there are no more than 3,072.
// The log thread makes 14 checks a second, so six checks take half a second.
constexpr std::size_t kChecksForAll = 6;
// Maximum number of earlier segments in one check. Each segment takes some microseconds.
constexpr std::size_t kEarlierPerCheckMax = 512;

}  // namespace

void SegmentWatch::add_earlier(std::uint32_t segment, Tick after) {
  earlier_.push_back(watched(segment, after));
}

void SegmentWatch::begin(std::uint32_t segment, Tick after) {
  if (last_) earlier_.push_back(*last_);
  last_ = watched(segment, after);
}

void SegmentWatch::grow(std::uint64_t bytes) {
  ORRERY_ASSERT(last_);
  if (last_->file) last_->file->size = bytes;
}

SegmentWatch::Watched SegmentWatch::watched(std::uint32_t segment, Tick after) {
  FileLook file;
  const bool is_seen = files_.look(segment_path(path_, segment), file) == 0;
  return {segment, after, is_seen ? std::optional(file) : std::nullopt, false};
}

std::optional<session::SegmentLoss> SegmentWatch::check() {
  if (last_) {
    if (auto loss = check(*last_, true)) return loss;
  }
  const std::size_t share = (earlier_.size() + kChecksForAll - 1) / kChecksForAll;
  for (std::size_t i = 0; i < std::min(share, kEarlierPerCheckMax); ++i) {
    if (auto loss = check(earlier_[turn_++ % earlier_.size()], false)) return loss;
  }
  return {};
}

std::optional<session::SegmentLoss> SegmentWatch::check(Watched& watched, bool is_last) {
  if (watched.lost) return {};
  const std::string path = segment_path(path_, watched.segment);
  FileLook now;
  const int known = files_.look(path, now);
  const bool removed = known == -ENOENT || known == -ENOTDIR;
  if (known < 0 && !removed) return {};  // a failing disk proves nothing about the file
  std::string what;
  if (removed) {
    what = "was removed";
  } else if (!watched.file) {
    watched.file = now;
  } else if (!now.is_same_file(*watched.file)) {
    if (is_last) what = "was replaced";
    watched.file = now;  // packing replaces an earlier segment
  } else if (now.size < watched.file->size) {
    what = "was cut from " + std::to_string(watched.file->size) + " to " +
           std::to_string(now.size) + " bytes";
  }
  if (what.empty()) return {};
  watched.lost = true;
  return session::SegmentLoss{
      watched.segment, watched.after,
      printable(path) + ": " + what + " by another program; put it back, or the log ends here"};
}

}  // namespace orrery::host
