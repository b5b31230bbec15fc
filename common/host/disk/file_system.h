// Declares the system calls that a session log is written with. Tests replace them by a disk that
// fails.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/core/bytes.h"
#include "common/core/result.h"
#include "common/session/byte_source.h"

namespace orrery::host {

// The file that a name refers to.
struct FileLook {
  bool is_regular = false;
  std::uint64_t device = 0;  // device and inode identify the file
  std::uint64_t inode = 0;
  std::uint64_t size = 0;     // bytes
  std::int64_t modified = 0;  // time of the last change of the content, in Unix seconds

  // Returns true if both names refer to one file.
  bool is_same_file(const FileLook& other) const {
    return device == other.device && inode == other.inode;
  }
};

// An interface to the file system. Functions that return a number return the result of the system
// call, or the error number negated. Calls may be interrupted (-EINTR), and writes may be short.
struct FileSystem {
  virtual ~FileSystem() = default;

  // Creates a file that other users may not read, or empties an existing one. With `must_be_new`,
  // returns -EEXIST instead if the file exists. Returns a descriptor.
  virtual int create(const std::string& path, bool must_be_new) = 0;
  // Appends to a file, even if another program has shortened it. Returns the number of bytes
  // written.
  virtual std::int64_t write(int descriptor, Bytes bytes) = 0;
  // Waits until all bytes written to the file are on the disk.
  virtual int sync(int descriptor) = 0;
  // Closes a descriptor.
  virtual int close(int descriptor) = 0;
  // Renames a file. Returns -EEXIST if a file has the new name and may not be replaced.
  virtual int rename(const std::string& from, const std::string& to, bool may_replace) = 0;
  // Removes a file.
  virtual int remove(const std::string& path) = 0;
  // Waits until the names of the files in the folder of `path` are on the disk.
  virtual int sync_folder_of(const std::string& path) = 0;

  // Returns 1 if a file or a folder has this name, and 0 if none has.
  virtual int exists(const std::string& path) = 0;
  // Returns true if a folder has this name.
  virtual bool is_folder(const std::string& path) = 0;
  // Finds the file of this name, without following a link. Returns 0, or -ENOENT if there is none.
  virtual int look(const std::string& path, FileLook& found) = 0;
  // Locks the file of this name, and creates it if there is none. Returns a descriptor; the lock is
  // held until the descriptor is closed or the program ends. Returns -EWOULDBLOCK if it is held
  // already, and -EEXIST if the name belongs to anything but an empty file.
  virtual int lock(const std::string& path) = 0;
  // Returns true if a program holds the lock that lock() takes. Creates no file.
  virtual bool is_locked(const std::string& path) = 0;
  // Syncs a file and drops its pages from the cache of the system, so that the next read shows the
  // bytes on the disk. After a failed sync, the cache may hold data that the disk lacks, and later
  // syncs do not report the failure.
  virtual int settle(const std::string& path) = 0;
  // Opens a file for reading. An Error starts with the path.
  virtual Result<std::unique_ptr<session::ByteSource>> open(const std::string& path) = 0;
};

// Returns true if this is the name of an empty file.
inline bool is_empty_file(const std::string& path, FileSystem& files) {
  FileLook found;
  return files.look(path, found) == 0 && found.is_regular && found.size == 0;
}

// Returns the file system of this machine.
FileSystem& file_system();

}  // namespace orrery::host
