// Owns the thread for work that may wait for a disk and must hold no tick: the status file, and a
// look at the room that the log has.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace orrery::server {

struct SessionReport;

// Says once that a disk is short of room, and once that it is well again.
class DiskRoom {
 public:
  // `available` and `total` are bytes.
  void observe(const std::string& folder, std::uint64_t available, std::uint64_t total);

 private:
  bool short_ = false;
};

class Background {
 public:
  // Looks at the disk of `log_path` at once and every minute. `status_path` may be empty: no file.
  Background(std::string status_path, const std::string& log_path);
  // Waits for the thread for a second. One that hangs in the disk is left behind.
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Returns whether there is a status file.
  bool writes_reports() const;

  // Takes a report for the status file in place of one that still waits.
  void write(const SessionReport& report);

 private:
  struct Shared;

  const std::shared_ptr<Shared> shared_;  // with the thread
};

}  // namespace orrery::server
