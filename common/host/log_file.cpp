// Owns the threads of a session log.
#include "common/host/log_file.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "common/core/printable.h"
#include "common/host/log_segments.h"
#include "common/host/packed_segment.h"

namespace orrery {
namespace {

constexpr std::chrono::milliseconds kBehindMax{45};
// A disk that has failed is tried again so often.
constexpr std::chrono::milliseconds kRetryInterval{250};
constexpr std::size_t kWaitingMax = std::size_t{16} << 20;
// More than this is written at once instead of at the next round.
constexpr std::size_t kPromptBytes = std::size_t{256} << 10;
// A segment of this size ends at the next checkpoint: small enough to be packed in a second.
constexpr std::size_t kSegmentBytes = std::size_t{64} << 20;

// Makes an empty file, so that the name is taken. 0, or the error number.
int claim(FileSystem& files, const std::string& path) {
  std::error_code unknown;
  if (std::filesystem::exists(segment_path(path, 1), unknown)) return EEXIST;
  const int descriptor = files.create(path, true);
  if (descriptor < 0) return -descriptor;
  files.close(descriptor);
  return 0;
}

}  // namespace

Result<std::unique_ptr<LogFile>> LogFile::open(const std::string& path, OnFailure on_failure,
                                               FileSystem& files) {
  const int error_number = claim(files, path);
  if (error_number == 0) {
    return std::unique_ptr<LogFile>(new LogFile(files, path, on_failure));
  }
  const std::string name = printable(path) + ": ";
  if (error_number == EEXIST) return Error{name + "exists already; name a new file for the log"};
  return Error{name + "cannot be written: " + std::strerror(error_number)};
}

Result<std::unique_ptr<LogFile>> LogFile::open_unused(const std::string& name,
                                                      OnFailure on_failure) {
  constexpr int kAttempts = 100;  // programs that start in one second in one folder
  int error_number = EEXIST;
  for (int i = 1; i <= kAttempts && error_number == EEXIST; ++i) {
    const std::string path = name + (i == 1 ? "" : "-" + std::to_string(i)) + ".orrery";
    error_number = claim(file_system(), path);
    if (error_number == 0) return resume(path, on_failure);
  }
  std::error_code unknown;
  const std::string folder = std::filesystem::current_path(unknown).string();
  return Error{printable(folder.empty() ? "." : folder) +
               ": no log can be made in this folder: " + std::strerror(error_number)};
}

std::unique_ptr<LogFile> LogFile::resume(const std::string& path, OnFailure on_failure) {
  return std::unique_ptr<LogFile>(new LogFile(file_system(), path, on_failure));
}

LogFile::LogFile(FileSystem& files, std::string path, OnFailure on_failure)
    : path_(path),
      on_failure_(on_failure),
      files_(files),
      writer_(files, std::move(path), kSegmentBytes),
      thread_([this] { write_until_closed(); }) {}

LogFile::~LogFile() {
  if (thread_.joinable()) static_cast<void>(close());
}

bool LogFile::append(Bytes records) {
  std::unique_lock lock(mutex_);
  ORRERY_ASSERT(!closing_);
  if (on_failure_ == OnFailure::stop) {
    changed_.wait(lock, [this] { return waiting_.size() < kWaitingMax || hopeless(); });
    if (hopeless()) return false;
  } else {
    gap_ = gap_ || (!waiting_.empty() && waiting_.size() + records.size() > kWaitingMax);
    if (gap_) return true;
  }
  waiting_.insert(waiting_.end(), records.begin(), records.end());
  if (waiting_.size() >= kPromptBytes) changed_.notify_all();
  return true;
}

LogState LogFile::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

Status LogFile::status() const {
  if (state_.failing) return Error{state_.failure};
  if (!state_.skipping && state_.lost_ticks == 0) return ok_status();
  return Error{printable(path_) + ": the disk was too slow: ticks are missing from the log"};
}

Status LogFile::sync() {
  std::unique_lock lock(mutex_);
  const std::uint64_t round = ++rounds_asked_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return rounds_done_ >= round; });
  return status();
}

Status LogFile::close() {
  {
    const std::lock_guard lock(mutex_);
    ORRERY_ASSERT(!closing_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
  return status();
}

void LogFile::write_until_closed() {
  for (bool last = false; !last;) {
    bool gap = false;
    bool try_it = false;
    std::uint64_t round = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, state_.failing ? kRetryInterval : kBehindMax, [this] {
        return closing_ || rounds_asked_ > rounds_done_ ||
               (!state_.failing && waiting_.size() >= kPromptBytes);
      });
      last = closing_;
      round = rounds_asked_;
      std::swap(gap, gap_);
      writing_.swap(waiting_);
      try_it = !hopeless();
    }
    changed_.notify_all();
    if (try_it) writer_.commit(writing_);
    if (gap) writer_.skip_to_checkpoint();
    pack_closed();
    writing_.clear();
    {
      const std::lock_guard lock(mutex_);
      rounds_done_ = round;
      state_ = writer_.state();
    }
    changed_.notify_all();
  }
  if (packing_.joinable()) packing_.join();
}

// One at a time. What cannot be packed stays as it is.
void LogFile::pack_closed() {
  for (const std::uint32_t segment : writer_.take_closed()) {
    if (packing_.joinable()) packing_.join();
    packing_ = std::thread([this, path = segment_path(path_, segment)] {
      Result<std::unique_ptr<FileSource>> file = FileSource::open(path);
      if (!file) return;
      const std::uint64_t size = file.value()->size();
      static_cast<void>(pack_segment(*file.value(), size, files_, path));
    });
  }
}

}  // namespace orrery
