// Runs work that may wait for a disk in its own thread: the status file, the file of the newest
// token, and the check of free space.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace orrery::server {

struct SessionReport;

// Logs when a disk becomes almost full, and when it has space again.
class DiskRoom {
 public:
  // Checks the free space of the disk of `folder`. `available` and `total` are bytes.
  void observe(const std::string& folder, std::uint64_t available, std::uint64_t total);

 private:
  bool short_ = false;
};

// The files that a Background writes. An empty path means no file.
struct BackgroundFiles {
  std::string status;
  std::string newest_token;  // see operator/newest_token.h
};

// A thread that writes small files and watches the free space.
class Background {
 public:
  // Starts the thread. It checks the disk of `log_path` immediately and then every minute.
  Background(BackgroundFiles files, const std::string& log_path);
  // Asks the thread to end, and waits for it at most a second. A thread that still waits for the
  // disk then keeps running by itself.
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Returns whether there is a status file.
  bool writes_reports() const;

  // Queues a report for the status file. Replaces an earlier report that is not written yet.
  void write(const SessionReport& report);
  // Queues the time of the newest token for its file, unless the file has it already.
  void write_newest_token(std::uint64_t created);

 private:
  struct Shared;

  // The thread shares ownership, as it may outlive this object.
  const std::shared_ptr<Shared> shared_;
  std::uint64_t newest_token_ = 0;  // queued last
};

}  // namespace orrery::server
