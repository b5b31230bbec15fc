// Owns when segments are packed.
#include "common/host/segment_packer.h"

#include <cerrno>
#include <memory>
#include <new>
#include <utility>

#include "common/host/log_segments.h"
#include "common/host/packed_segment.h"

namespace orrery {
namespace {

// True of what may go another time.
bool may_pass(int error_number) {
  return error_number == ENOSPC || error_number == EDQUOT || error_number == EIO ||
         error_number == EINTR || error_number == ENOMEM;
}

// True if the segment is packed now, or cannot be at any time.
bool is_done(FileSystem& files, const std::string& path) {
  try {
    const Result<std::unique_ptr<SegmentSource>> segment = SegmentSource::open(path, files);
    if (!segment || segment.value()->is_packed()) return true;
    const std::uint64_t size = segment.value()->size();
    return !may_pass(pack_segment(*segment.value(), size, files, path));
  } catch (const std::bad_alloc&) {
    files.remove(draft_path(path));
    return false;
  }
}

}  // namespace

SegmentPacker::SegmentPacker(FileSystem& files, std::string path)
    : files_(files), path_(std::move(path)), thread_([this] { pack_until_closed(); }) {}

SegmentPacker::~SegmentPacker() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void SegmentPacker::pack(std::uint32_t segment) {
  {
    const std::lock_guard lock(mutex_);
    closed_.push_back(segment);
  }
  changed_.notify_one();
}

void SegmentPacker::pack_until_closed() {
  std::list<std::uint32_t> segments;  // to be packed; moved here whole, which takes no memory
  for (bool last = false; !last;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return closing_ || !closed_.empty(); });
      last = closed_.empty();
      segments.splice(segments.end(), closed_);
    }
    std::erase_if(segments, [this](std::uint32_t segment) {
      return is_done(files_, segment_path(path_, segment));
    });
  }
}

}  // namespace orrery
