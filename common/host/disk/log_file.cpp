// Writes a session log to the disk in a separate thread.
#include "common/host/disk/log_file.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <new>
#include <utility>

#include "common/core/printable.h"
#include "common/host/disk/log_segments.h"
#include "common/host/process/failure.h"

namespace orrery::host {
namespace {

using Clock = std::chrono::steady_clock;

// A round of the thread writes and syncs all queued records. If a round takes the time t, the next
// round starts kRoundInterval - 2 t after the start of this one, but not earlier than
// kRoundIntervalMin after it. The next round may take twice as long, because a checkpoint needs two
// syncs. A record is thus on the disk within 100 ms, if no round takes more than 30 ms.
constexpr std::chrono::milliseconds kRoundInterval{70};
constexpr std::chrono::milliseconds kRoundIntervalMin{5};
// The time between two tries on a disk that has failed.
constexpr std::chrono::milliseconds kRetryInterval{250};
// Maximum bytes of records that may wait for the thread, in addition to the size of the largest
// record so far (has_room()).
constexpr std::size_t kWaitingMax = std::size_t{16} << 20;
// If at least this many bytes wait for the thread, the next round begins at once, unless the disk
// has failed.
constexpr std::size_t kPromptBytes = std::size_t{256} << 10;
// A segment ends at the first checkpoint after it has reached this size. A segment of this size can
// be packed in a second.
constexpr std::size_t kSegmentBytes = std::size_t{64} << 20;

}  // namespace

Result<std::unique_ptr<LogFile>> LogFile::open(const std::string& path, OnFailure on_failure,
                                               FileSystem& files) {
  LogClaim claimed = claim_log(path, files);
  if (claimed.name.error_number != 0) return claimed.name.error(path);
  return resume(path, std::move(claimed.lock), on_failure, files);
}

Result<std::unique_ptr<LogFile>> LogFile::open_unused(const std::string& name,
                                                      OnFailure on_failure) {
  constexpr int kAttempts = 100;  // programs that start in the same second use the same name
  int error_number = EEXIST;
  const auto is_taken = [&] { return error_number == EEXIST || error_number == EWOULDBLOCK; };
  for (int i = 1; i <= kAttempts && is_taken(); ++i) {
    const std::string path = name + (i == 1 ? "" : "-" + std::to_string(i)) + ".orrery";
    LogClaim claimed = claim_log(path);
    error_number = claimed.name.error_number;
    if (error_number == 0) return resume(path, std::move(claimed.lock), on_failure);
  }
  std::error_code unknown;
  const std::string folder = std::filesystem::current_path(unknown).string();
  return Error{"no log can be made in this folder: " +
                   explain_error(error_number, "give another file with --log FILE"),
               ErrorCode::io}
      .in(folder.empty() ? "." : folder);
}

std::unique_ptr<LogFile> LogFile::resume(const std::string& path, std::unique_ptr<LogLock> lock,
                                         OnFailure on_failure, FileSystem& files) {
  ORRERY_ASSERT(lock && lock->error_number() == 0);
  return std::unique_ptr<LogFile>(new LogFile(files, path, std::move(lock), on_failure));
}

LogFile::LogFile(FileSystem& files, std::string path, std::unique_ptr<LogLock> lock,
                 OnFailure on_failure)
    : path_(path),
      lock_(std::move(lock)),
      on_failure_(on_failure),
      files_(files, path_),
      log_(files_, kSegmentBytes),
      packer_(std::in_place, files, std::move(path)),
      thread_([this] { write_until_closed(); }) {}

LogFile::~LogFile() {
  if (thread_.joinable()) static_cast<void>(close());
}

void LogFile::discard() {
  if (thread_.joinable()) static_cast<void>(close());
  packer_.reset();
  files_.discard();
}

void LogFile::seal_with(LogSealer sealer) {
  const std::lock_guard lock(mutex_);
  ORRERY_ASSERT(waiting_.empty());
  log_.seal_with(std::make_unique<LogSealer>(std::move(sealer)));
}

bool LogFile::begin(const codec::LogHeader& header, const session::LogRecord* checkpoint) {
  std::unique_lock lock(mutex_);
  const std::size_t bytes = header.scene.size() + (checkpoint ? checkpoint->size() : 0);
  if (!has_room(lock, bytes)) return on_failure_ == OnFailure::go_on;
  waiting_.begin(header, checkpoint);
  wake_if_full();
  return true;
}

bool LogFile::append(const session::LogRecord& record) {
  std::unique_lock lock(mutex_);
  if (!has_room(lock, record.size())) return on_failure_ == OnFailure::go_on;
  waiting_.append(record);
  wake_if_full();
  return true;
}

bool LogFile::has_room(std::unique_lock<std::mutex>& lock, std::size_t bytes) {
  ORRERY_ASSERT(!closing_);
  if (on_failure_ == OnFailure::stop) {
    changed_.wait(lock, [this] { return waiting_.bytes() < kWaitingMax || hopeless(); });
    return !hopeless();
  }
  // The limit includes the size of the largest record so far. The queue thus has room for a
  // checkpoint of any size, and for the records after it.
  largest_ = std::max(largest_, bytes);
  gap_ = gap_ || waiting_.bytes() + bytes > kWaitingMax + largest_;
  return !gap_ && !hopeless();
}

void LogFile::wake_if_full() {
  if (waiting_.bytes() >= kPromptBytes) changed_.notify_all();
}

session::LogState LogFile::state() const {
  const std::lock_guard lock(mutex_);
  session::LogState state = state_;
  state.removed = packer_->removed();
  return state;
}

Status LogFile::status() const {
  if (!state_.damage.empty()) return Error{state_.damage};
  if (state_.failing) return Error{state_.failure};
  if (!state_.skipping && state_.lost_ticks == 0) return ok_status();
  return Error{"the disk was too slow: ticks are missing from the log"}.in(path_);
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
  Clock::duration interval = kRoundInterval;
  Clock::time_point begun = Clock::now();
  for (bool last = false; !last;) {
    bool gap = false;
    bool try_it = false;
    std::uint64_t round = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait_until(lock, begun + (state_.failing ? kRetryInterval : interval), [this] {
        return closing_ || rounds_asked_ > rounds_done_ ||
               (!state_.failing && waiting_.bytes() >= kPromptBytes);
      });
      last = closing_;
      round = rounds_asked_;
      std::swap(gap, gap_);
      std::swap(writing_, waiting_);
      try_it = !hopeless();
    }
    changed_.notify_all();
    begun = Clock::now();
    if (try_it) write(gap);
    interval =
        std::max<Clock::duration>(kRoundInterval - 2 * (Clock::now() - begun), kRoundIntervalMin);
    writing_.clear();
    {
      const std::lock_guard lock(mutex_);
      rounds_done_ = round;
    }
    changed_.notify_all();
  }
}

void LogFile::write(bool gap) {
  try {
    log_.commit(writing_);
    if (gap) log_.skip_to_checkpoint();
    for (const std::uint32_t segment : log_.take_closed()) packer_->pack(segment);
    const std::lock_guard lock(mutex_);
    state_ = log_.state();
  } catch (const std::bad_alloc&) {
    writing_ = {};
    const std::lock_guard lock(mutex_);
    waiting_ = {};
    out_of_memory_ = true;
    ++state_.failures;
    state_.failing = true;
    state_.failure =
        printable(path_) + ": there is not enough memory to write it; " + kOutOfMemoryAdvice;
  }
}

}  // namespace orrery::host
