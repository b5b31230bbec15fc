// Owns the writer thread of a session log.
#include "common/host/log_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "common/core/printable.h"

namespace orrery {
namespace {

constexpr std::chrono::milliseconds kBehindMax{45};
constexpr std::size_t kWaitingMax = std::size_t{16} << 20;
// More than this is written at once instead of at the next round.
constexpr std::size_t kPromptBytes = std::size_t{256} << 10;

// The descriptor, or -1 and errno.
int open_new(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

// 0, or the error number of the first write that failed.
int write_all(int descriptor, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

Result<std::unique_ptr<LogFile>> LogFile::open(const std::string& path) {
  const int descriptor = open_new(path);
  if (descriptor >= 0) return std::unique_ptr<LogFile>(new LogFile(descriptor, path));
  const std::string name = printable(path) + ": ";
  if (errno == EEXIST) return Error{name + "exists already; name a new file for the log"};
  return Error{name + "cannot be written: " + std::strerror(errno)};
}

Result<std::unique_ptr<LogFile>> LogFile::open_unused(const std::string& name) {
  constexpr int kAttempts = 100;  // programs that start in one second in one folder
  for (int i = 1; i <= kAttempts; ++i) {
    const std::string path = name + (i == 1 ? "" : "-" + std::to_string(i)) + ".orrery";
    const int descriptor = open_new(path);
    if (descriptor >= 0) return std::unique_ptr<LogFile>(new LogFile(descriptor, path));
    if (errno != EEXIST) break;
  }
  const std::string why = std::strerror(errno);
  std::error_code unknown;
  const std::string folder = std::filesystem::current_path(unknown).string();
  return Error{printable(folder.empty() ? "." : folder) +
               ": no log can be made in this folder: " + why};
}

LogFile::LogFile(int descriptor, std::string path)
    : descriptor_(descriptor), path_(std::move(path)), thread_([this] { write_until_closed(); }) {
  ORRERY_ASSERT(descriptor >= 0);
}

LogFile::~LogFile() {
  if (thread_.joinable()) static_cast<void>(close());
}

bool LogFile::append(Bytes bytes) {
  std::unique_lock lock(mutex_);
  ORRERY_ASSERT(!closing_);
  changed_.wait(lock, [this] { return waiting_.size() < kWaitingMax || !failure_.empty(); });
  if (!failure_.empty()) return false;
  waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
  if (waiting_.size() >= kPromptBytes) changed_.notify_all();
  return true;
}

Status LogFile::status() const {
  const std::lock_guard lock(mutex_);
  if (failure_.empty()) return ok_status();
  return Error{failure_};
}

Status LogFile::close() {
  {
    const std::lock_guard lock(mutex_);
    ORRERY_ASSERT(!closing_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
  fail(::fsync(descriptor_) == 0 ? 0 : errno);
  fail(::close(descriptor_) == 0 ? 0 : errno);
  return status();
}

void LogFile::write_until_closed() {
  bool failed = false;
  for (bool last = false; !last;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, kBehindMax,
                        [this] { return closing_ || waiting_.size() >= kPromptBytes; });
      last = closing_;
      writing_.swap(waiting_);
    }
    changed_.notify_all();
    const int error_number = failed ? 0 : write_all(descriptor_, writing_);
    failed = failed || error_number != 0;
    fail(error_number);
    writing_.clear();
  }
}

// Keeps the first failure. A file that failed once is not written to again: what came after would
// stand behind a broken record.
void LogFile::fail(int error_number) {
  if (error_number == 0) return;
  {
    const std::lock_guard lock(mutex_);
    if (!failure_.empty()) return;
    failure_ = printable(path_) + ": cannot be written: " + std::strerror(error_number);
  }
  changed_.notify_all();
}

}  // namespace orrery
