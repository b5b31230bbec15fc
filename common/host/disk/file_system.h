// Owns the system calls that a session log is written with: tests put a disk that fails in their
// place.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/core/bytes.h"
#include "common/core/result.h"
#include "common/session/byte_sink.h"

namespace orrery::host {

// What a name stands for.
struct FileLook {
  bool is_regular = false;
  std::uint64_t device = 0;  // with the inode, which file it is
  std::uint64_t inode = 0;
  std::uint64_t size = 0;  // bytes

  bool is_same_file(const FileLook& other) const {
    return device == other.device && inode == other.inode;
  }
};

// What returns a number returns what the system call does, with its EINTR and its short writes, or
// the error number negated.
struct FileSystem {
  virtual ~FileSystem() = default;

  // Makes a file of this name, which must be new, or replaces the content of one. Returns a
  // descriptor.
  virtual int create(const std::string& path, bool must_be_new) = 0;
  // Appends, also to a file that another program has cut; returns how many bytes of the front were
  // taken.
  virtual std::int64_t write(int descriptor, Bytes bytes) = 0;
  // Returns when the disk has all that was written.
  virtual int sync(int descriptor) = 0;
  virtual int close(int descriptor) = 0;
  // -EEXIST if there is a file of the new name that may not be replaced.
  virtual int rename(const std::string& from, const std::string& to, bool may_replace) = 0;
  virtual int remove(const std::string& path) = 0;
  // Returns when the disk has the names of the folder that holds `path`.
  virtual int sync_folder_of(const std::string& path) = 0;

  // 1 if there is a file or a folder of this name, or 0.
  virtual int exists(const std::string& path) = 0;
  virtual bool is_folder(const std::string& path) = 0;
  // Looks at what has this name, and follows no link. Returns 0, or -ENOENT if nothing has it.
  virtual int look(const std::string& path, FileLook& found) = 0;
  // Locks the file of this name, which it makes if there is none. Returns a descriptor: the lock is
  // held until that is closed or the program ends. -EWOULDBLOCK if somebody else holds it; -EEXIST
  // if the name is that of anything but an empty file.
  virtual int lock(const std::string& path) = 0;
  // True if somebody holds that lock; makes no file.
  virtual bool is_locked(const std::string& path) = 0;
  // Syncs a file, and has the system forget what it keeps of it in memory: after a sync that failed
  // that is more than the disk has, and later syncs do not tell.
  virtual int settle(const std::string& path) = 0;
  // Opens a file for reading. An Error starts with the path.
  virtual Result<std::unique_ptr<session::ByteSource>> open(const std::string& path) = 0;
};

// True if this is the name of an empty file.
inline bool is_empty_file(const std::string& path, FileSystem& files) {
  FileLook found;
  return files.look(path, found) == 0 && found.is_regular && found.size == 0;
}

// That of the machine.
FileSystem& file_system();

}  // namespace orrery::host
