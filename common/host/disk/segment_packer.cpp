// Packs the closed segments of a log in a thread.
#include "common/host/disk/segment_packer.h"

#include <cerrno>
#include <iterator>
#include <memory>
#include <new>
#include <utility>

#include "common/host/disk/log_segments.h"
#include "common/host/disk/packed_segment.h"

namespace orrery::host {
namespace {

// Returns true for errors after which another try may succeed.
bool may_pass(int error_number) {
  return error_number == ENOSPC || error_number == EDQUOT || error_number == EIO ||
         error_number == EINTR || error_number == ENOMEM;
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
    closed_.push_back({segment});
  }
  changed_.notify_one();
}

bool SegmentPacker::is_done(Closed& closed) {
  if (cancelled_) return true;
  const std::string path = segment_path(path_, closed.segment);
  try {
    const Result<std::unique_ptr<SegmentSource>> segment = SegmentSource::open(path, files_);
    if (!segment || segment.value()->is_packed()) return true;
    const std::uint64_t size = segment.value()->size();
    return !may_pass(
        pack_segment(*segment.value(), size, files_, path, &closed.draft_is_ours, &cancelled_));
  } catch (const std::bad_alloc&) {
    if (closed.draft_is_ours) closed.draft_is_ours = files_.remove(draft_path(path)) != 0;
    return false;
  }
}

void SegmentPacker::pack_until_closed() {
  std::list<Closed> segments;  // to be packed; moving items into this list allocates nothing
  for (bool last = false; !last;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return closing_ || !closed_.empty(); });
      last = closed_.empty();
      segments.splice(segments.end(), closed_);
    }
    for (auto closed = segments.begin(); closed != segments.end();) {
      closed = is_done(*closed) ? segments.erase(closed) : std::next(closed);
    }
  }
}

}  // namespace orrery::host
