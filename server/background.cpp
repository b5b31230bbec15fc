// Runs work that may wait for a disk in its own thread.
#include "server/background.h"

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "server/operator/log_line.h"
#include "server/operator/newest_token.h"
#include "server/operator/report.h"
#include "server/operator/status_file.h"

namespace orrery::server {
namespace {

using Clock = std::chrono::steady_clock;

// A disk is almost full if fewer than kRoomMin bytes, or less than 1 / kRoomShareMin (5 %) of its
// size, are free.
constexpr std::uint64_t kRoomMin = 256'000'000;
constexpr std::uint64_t kRoomShareMin = 20;

constexpr std::chrono::minutes kLookInterval{1};
constexpr std::chrono::seconds kEndLimit{1};

// Writes the status file. Logs each written file, when writing starts to fail, and when it works
// again.
class StatusWriter {
 public:
  explicit StatusWriter(std::string path) : path_(std::move(path)) {}

  bool has_file() const { return !path_.empty(); }

  void write(const SessionReport& report) {
    const std::string text = to_json(report);
    const Status written = replace_status_file(path_, text);
    if (written) log_event(LogEvent::status_written, {{"file", path_}, {"bytes", text.size()}});
    if (written.ok() != failing_) return;
    failing_ = !written;
    if (failing_) {
      log_event(LogEvent::status_failed, {{"reason", written.error().text()}});
    } else {
      log_event(LogEvent::status_recovered, {{"file", path_}});
    }
  }

 private:
  const std::string path_;
  bool failing_ = false;
};

// Writes the file of the newest token. Logs when writing starts to fail.
class NewestTokenWriter {
 public:
  explicit NewestTokenWriter(std::string path) : path_(std::move(path)) {}

  bool has_file() const { return !path_.empty(); }

  void write(std::uint64_t created) {
    const Status written = write_newest_token(path_, created);
    if (!written && !failing_) {
      log_event(LogEvent::newest_token_failed, {{"reason", written.error().text()}});
    }
    failing_ = !written;
  }

 private:
  const std::string path_;
  bool failing_ = false;
};

std::filesystem::path folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

}  // namespace

void DiskRoom::observe(const std::string& folder, std::uint64_t available, std::uint64_t total) {
  const bool is_short = available < kRoomMin || available < total / kRoomShareMin;
  if (is_short == short_) return;
  short_ = is_short;
  const double percent = 100 * static_cast<double>(available) / static_cast<double>(total);
  log_event(is_short ? LogEvent::disk_low : LogEvent::disk_recovered,
            {{"free_mb", available / 1'000'000},
             {"free_percent", std::round(10 * percent) / 10},
             {"folder", folder}});
}

struct Background::Shared {
  Shared(BackgroundFiles files, std::filesystem::path log_folder)
      : status(std::move(files.status)),
        newest_token(std::move(files.newest_token)),
        folder(std::move(log_folder)) {}

  void run() {
    Clock::time_point look_at = Clock::now();
    for (bool last = false; !last;) {
      std::optional<SessionReport> report;
      std::optional<std::uint64_t> created;
      {
        std::unique_lock lock(mutex);
        changed.wait_until(lock, look_at, [this] { return ending || next || next_created; });
        report.swap(next);
        created.swap(next_created);
        last = ending;
      }
      try {
        if (created) newest_token.write(*created);
        if (Clock::now() >= look_at) {
          look_at = Clock::now() + kLookInterval;
          look();
        }
        if (report) status.write(*report);
      } catch (const std::bad_alloc&) {  // the next report may find memory
      }
    }
    const std::lock_guard lock(mutex);
    ended = true;
    changed.notify_all();
  }

  // Checks the free space of the log's disk. Does nothing if the file system returns an error or
  // reports a size of 0.
  void look() {
    std::error_code error;
    const std::filesystem::space_info space = std::filesystem::space(folder, error);
    if (!error && space.capacity > 0) {
      room.observe(folder.string(), space.available, space.capacity);
    }
  }

  // Only the thread uses status, newest_token, room and folder. Exception: any thread may call
  // has_file(), whose result never changes.
  StatusWriter status;
  NewestTokenWriter newest_token;
  DiskRoom room;
  const std::filesystem::path folder;
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<SessionReport> next;
  std::optional<std::uint64_t> next_created;
  bool ending = false;
  bool ended = false;
};

Background::Background(BackgroundFiles files, const std::string& log_path)
    : shared_(std::make_shared<Shared>(std::move(files), folder_of(log_path))) {
  std::thread([shared = shared_] { shared->run(); }).detach();
}

Background::~Background() {
  std::unique_lock lock(shared_->mutex);
  shared_->ending = true;
  shared_->changed.notify_all();
  shared_->changed.wait_for(lock, kEndLimit, [this] { return shared_->ended; });
}

bool Background::writes_reports() const { return shared_->status.has_file(); }

void Background::write(const SessionReport& report) {
  if (!writes_reports()) return;
  const std::lock_guard lock(shared_->mutex);
  shared_->next = report;
  shared_->changed.notify_all();
}

void Background::write_newest_token(std::uint64_t created) {
  if (!shared_->newest_token.has_file() || created == newest_token_) return;
  newest_token_ = created;
  const std::lock_guard lock(shared_->mutex);
  shared_->next_created = created;
  shared_->changed.notify_all();
}

}  // namespace orrery::server
