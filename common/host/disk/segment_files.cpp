// Stores the segments of a session log as files on a disk that may fail.
#include "common/host/disk/segment_files.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "common/core/printable.h"
#include "common/host/disk/log_segments.h"
#include "common/host/process/failure.h"
#include "common/session/record_stream.h"
#include "common/session/segment_start.h"

namespace orrery::host {
namespace {

// A write that is interrupted this many times in a row counts as failed.
constexpr int kInterruptionsMax = 100;

}  // namespace

Status SegmentFiles::create(const codec::LogHeader& header, Bytes bytes) {
  ORRERY_ASSERT(descriptor_ < 0);
  if (!first_) watch_earlier(header);
  segment_ = header.segment;
  const std::string path = segment_path(path_, segment_);
  const std::string draft = draft_path(path);
  descriptor_ = files_.create(draft, !draft_is_ours_);
  if (descriptor_ < 0) return status(std::exchange(descriptor_, -1), draft);
  draft_is_ours_ = true;
  if (const int result = write_draft(draft, path, bytes); result < 0) {
    close_file();
    const int removed = files_.remove(draft);
    draft_is_ours_ = removed < 0 && removed != -ENOENT;
    return status(result, path);
  }
  draft_is_ours_ = false;  // the temporary file was renamed
  size_ = bytes.size();
  watch_.begin(segment_, header.after_tick);
  watch_.grow(size_);
  return ok_status();
}

// Skips files of other sessions. Also skips a file without a valid header: the creation of this
// segment was not completed.
void SegmentFiles::watch_earlier(const codec::LogHeader& first) {
  first_ = first.segment;
  const session::OpenSegment open = segments_of(path_, files_);
  for (std::uint32_t number = 0; number < first.segment; ++number) {
    const auto source = open(number);
    if (!source || !source.value()) continue;
    session::RecordStream stream(*source.value());
    const Result<codec::LogHeader> start = read_start(stream);
    if (start && session::of_one_session(start.value(), first)) {
      watch_.add_earlier(number, start.value().after_tick);
    }
  }
}

int SegmentFiles::write_draft(const std::string& draft, const std::string& path, Bytes bytes) {
  int result = write_all(bytes);
  if (result == 0) result = sync();
  if (result == 0) result = publish(draft, path);
  return result == 0 ? files_.sync_folder_of(path) : result;
}

int SegmentFiles::publish(const std::string& draft, const std::string& path) {
  const int renamed = files_.rename(draft, path, name_is_ours_);
  // A rename that returned an error may still have happened.
  name_is_ours_ = name_is_ours_ || renamed != -EEXIST;
  return renamed;
}

Status SegmentFiles::append(Bytes bytes) {
  ORRERY_ASSERT(descriptor_ >= 0);
  int result = write_all(bytes);
  if (result == 0) result = sync();
  if (result < 0) return status(result, segment_path(path_, segment_));
  size_ += bytes.size();
  watch_.grow(size_);
  return ok_status();
}

void SegmentFiles::close() {
  close_file();
  ++segment_;
  name_is_ours_ = false;
}

void SegmentFiles::discard() {
  close_file();
  if (!first_) return;
  const std::string last = segment_path(path_, segment_);
  if (draft_is_ours_) files_.remove(draft_path(last));
  if (name_is_ours_) files_.remove(last);
  for (std::uint32_t number = *first_; number < segment_; ++number) {
    files_.remove(segment_path(path_, number));
  }
}

int SegmentFiles::write_all(Bytes bytes) {
  int interruptions = 0;
  while (!bytes.empty()) {
    const std::int64_t written = files_.write(descriptor_, bytes);
    if (written == -EINTR && ++interruptions < kInterruptionsMax) continue;
    if (written <= 0) return written == 0 ? -EIO : static_cast<int>(written);
    interruptions = 0;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return 0;
}

// REQUIRES: no earlier sync of the open file has failed. After a failed sync the system may have
// dropped the unwritten bytes, so another try proves nothing.
int SegmentFiles::sync() { return files_.sync(descriptor_); }

Status SegmentFiles::status(int result, const std::string& path) const {
  if (result >= 0) return ok_status();
  return Error{"cannot be written: " + explain_error(-result), ErrorCode::io}.in(path);
}

// Ignores the result of close(): all bytes that matter were synced.
void SegmentFiles::close_file() {
  if (descriptor_ >= 0) files_.close(std::exchange(descriptor_, -1));
}

}  // namespace orrery::host
