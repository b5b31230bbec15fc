// Owns when segments are packed.
#include "common/host/segment_packer.h"

#include <memory>
#include <new>
#include <utility>

#include "common/host/log_segments.h"
#include "common/host/packed_segment.h"

namespace orrery {
namespace {

void pack_file(FileSystem& files, const std::string& path) {
  try {
    const Result<std::unique_ptr<SegmentSource>> segment = SegmentSource::open(path, files);
    if (!segment || segment.value()->is_packed()) return;
    const std::uint64_t size = segment.value()->size();
    static_cast<void>(pack_segment(*segment.value(), size, files, path));
  } catch (const std::bad_alloc&) {
    files.remove(draft_path(path));
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
  for (;;) {
    std::uint32_t segment = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return closing_ || !closed_.empty(); });
      if (closed_.empty()) return;
      segment = closed_.front();
      closed_.pop_front();
    }
    pack_file(files_, segment_path(path_, segment));
  }
}

}  // namespace orrery
