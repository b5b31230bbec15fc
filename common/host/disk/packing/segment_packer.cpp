// Packs the closed segments of a log in a thread, and removes the records of old ones.
#include "common/host/disk/packing/segment_packer.h"

#include <cerrno>
#include <chrono>
#include <iterator>
#include <memory>
#include <new>
#include <utility>

#include "common/host/disk/log_segments.h"
#include "common/host/disk/packing/packed_segment.h"
#include "common/host/process/clock.h"

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
    newest_ = segment;
  }
  changed_.notify_one();
}

void SegmentPacker::keep(const KeepLimit& limit) {
  if (limit.bytes == 0 && limit.seconds == 0) return;
  {
    const std::lock_guard lock(mutex_);
    ORRERY_ASSERT(!remover_);
    remover_.emplace(files_, path_, limit);
  }
  changed_.notify_one();
}

session::RemovedTicks SegmentPacker::removed() const {
  const std::lock_guard lock(mutex_);
  return removed_;
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

SegmentPacker::Work SegmentPacker::wait_for_work(std::list<Closed>& segments) {
  constexpr std::chrono::minutes kLookInterval{1};  // a segment can become too old at any time
  std::unique_lock lock(mutex_);
  const auto has_work = [this] { return closing_ || !closed_.empty(); };
  if (remover_) {
    changed_.wait_for(lock, kLookInterval, has_work);
  } else {
    changed_.wait(lock, [&] { return has_work() || remover_; });
  }
  const bool last = closing_ && closed_.empty();
  segments.splice(segments.end(), closed_);
  return {newest_, remover_ ? &*remover_ : nullptr, last};
}

void SegmentPacker::pack_until_closed() {
  std::list<Closed> segments;  // to be packed; moving items into this list allocates nothing
  for (Work work; !work.last;) {
    work = wait_for_work(segments);
    for (auto closed = segments.begin(); closed != segments.end();) {
      closed = is_done(*closed) ? segments.erase(closed) : std::next(closed);
    }
    if (!work.remover || cancelled_) continue;
    try {
      const session::RemovedTicks removed = work.remover->enforce(work.newest, unix_seconds());
      const std::lock_guard lock(mutex_);
      removed_ = removed;
    } catch (const std::bad_alloc&) {
      // No memory now: the next look tries again.
    }
  }
}

}  // namespace orrery::host
