// Owns the system calls that a session log is written with: tests put a disk that fails in their
// place.
#pragma once

#include <cstdint>
#include <string>

#include "common/core/bytes.h"

namespace orrery {

// Each call is one system call, with its EINTR and its short writes, and returns what that does, or
// the error number negated.
struct FileSystem {
  virtual ~FileSystem() = default;

  // Makes a file of this name, which must be new, or replaces the content of one. Returns a
  // descriptor. The file is locked for as long as that is open, so that nobody resumes a session
  // that still runs.
  virtual int create(const std::string& path, bool must_be_new) = 0;
  // Appends; returns how many bytes of the front were taken.
  virtual std::int64_t write(int descriptor, Bytes bytes) = 0;
  // Returns when the disk has all that was written.
  virtual int sync(int descriptor) = 0;
  virtual int close(int descriptor) = 0;
  virtual int rename(const std::string& from, const std::string& to) = 0;
  virtual int remove(const std::string& path) = 0;
  // Returns when the disk has the names of the folder that holds `path`.
  virtual int sync_folder_of(const std::string& path) = 0;
};

// That of the machine.
FileSystem& file_system();

}  // namespace orrery
