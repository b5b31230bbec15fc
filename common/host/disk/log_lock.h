// Locks a session log, so that one program at a time writes it.
#pragma once

#include <algorithm>
#include <string>

#include "common/host/disk/file_system.h"

namespace orrery::host {

// Returns the name of the lock of the log at this path.
inline std::string lock_path(const std::string& log) { return log + ".lock"; }

// A lock on LOG.lock, held from before the first segment is read or written until the log is
// closed. A program that is killed leaves only the file, which locks nothing.
class LogLock {
 public:
  LogLock(FileSystem& files, const std::string& log)
      : files_(files), path_(lock_path(log)), descriptor_(files.lock(path_)) {}
  ~LogLock() {
    if (descriptor_ < 0) return;
    files_.remove(path_);
    files_.close(descriptor_);
  }
  LogLock(const LogLock&) = delete;
  LogLock& operator=(const LogLock&) = delete;

  // Returns 0 if this object holds the lock, else the error number, for example:
  // - EWOULDBLOCK: another program holds the lock.
  // - EEXIST: something other than an empty file has the name of the lock.
  int error_number() const { return -std::min(0, descriptor_); }

 private:
  FileSystem& files_;
  const std::string path_;
  const int descriptor_;
};

// Returns true if a running program writes the log. Takes no lock.
inline bool is_being_written(const std::string& log, FileSystem& files = file_system()) {
  return files.is_locked(lock_path(log));
}

}  // namespace orrery::host
