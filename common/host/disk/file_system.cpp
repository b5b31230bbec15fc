// Makes the system calls of POSIX and Linux that a session log is written with.
#include "common/host/disk/file_system.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "common/host/disk/file.h"

namespace orrery::host {
namespace {

// The group may read a log, for backups. Others may not: a log has what every client did.
constexpr mode_t kLogMode = S_IRUSR | S_IWUSR | S_IRGRP;

int result(int returned) { return returned < 0 ? -errno : returned; }

// Returns true if `path` is still the name of the open file.
bool is_named(int descriptor, const std::string& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(descriptor, &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

// Returns true for an empty regular file. Every lock file is empty, so a file with content is no
// lock.
bool may_be_lock(int descriptor) {
  struct stat open {};
  return ::fstat(descriptor, &open) == 0 && S_ISREG(open.st_mode) && open.st_size == 0;
}

struct PosixFileSystem final : FileSystem {
  int create(const std::string& path, bool must_be_new) override {
    const int how = must_be_new ? O_EXCL : O_TRUNC;
    constexpr int kAlways = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
    return result(::open(path.c_str(), kAlways | how, kLogMode));
  }

  std::int64_t write(int descriptor, Bytes bytes) override {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    return written < 0 ? -errno : written;
  }

  int sync(int descriptor) override { return result(::fdatasync(descriptor)); }

  int close(int descriptor) override { return result(::close(descriptor)); }

  int rename(const std::string& from, const std::string& to, bool may_replace) override {
    if (may_replace) return result(::rename(from.c_str(), to.c_str()));
    const int renamed =
        result(::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE));
    if (renamed != -EINVAL && renamed != -ENOSYS) return renamed;
    // Some file systems (NFS) cannot refuse to replace a file. On these, only the lock of the log
    // keeps other programs from taking the name after this check.
    const int taken = exists(to);
    if (taken != 0) return taken < 0 ? taken : -EEXIST;
    return result(::rename(from.c_str(), to.c_str()));
  }

  int remove(const std::string& path) override { return result(::unlink(path.c_str())); }

  int sync_folder_of(const std::string& path) override {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    const int descriptor =
        ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return -errno;
    const int synced = result(::fsync(descriptor));
    ::close(descriptor);
    return synced;
  }

  int exists(const std::string& path) override {
    struct stat about {};
    const int known = result(::stat(path.c_str(), &about));
    return known == -ENOENT ? 0 : known < 0 ? known : 1;
  }

  bool is_folder(const std::string& path) override {
    std::error_code unknown;
    return std::filesystem::is_directory(path, unknown);
  }

  int look(const std::string& path, FileLook& found) override {
    struct stat about {};
    if (::lstat(path.c_str(), &about) != 0) return -errno;
    found = {S_ISREG(about.st_mode), about.st_dev, about.st_ino,
             static_cast<std::uint64_t>(about.st_size), about.st_mtim.tv_sec};
    return 0;
  }

  int lock(const std::string& path) override {
    constexpr int kAttempts = 100;  // an attempt fails if the file is removed meanwhile
    for (int i = 0; i < kAttempts; ++i) {
      const int descriptor =
          ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, kLogMode);
      if (descriptor < 0) return errno == ELOOP || errno == EISDIR ? -EEXIST : -errno;
      if (!may_be_lock(descriptor)) {
        ::close(descriptor);
        return -EEXIST;
      }
      const int locked = result(::flock(descriptor, LOCK_EX | LOCK_NB));
      // On a file system without locks, the file counts as locked by this program: nothing can keep
      // other programs out.
      if (locked != -EWOULDBLOCK && is_named(descriptor, path)) return descriptor;
      ::close(descriptor);
      if (locked == -EWOULDBLOCK) return locked;
    }
    return -EWOULDBLOCK;
  }

  bool is_locked(const std::string& path) override {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) return false;
    const bool locked = result(::flock(descriptor, LOCK_SH | LOCK_NB)) == -EWOULDBLOCK;
    ::close(descriptor);
    return locked;
  }

  int settle(const std::string& path) override {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return -errno;
    int synced = result(::fdatasync(descriptor));
    if (synced == -EINVAL) synced = 0;  // `path` is a pipe or a device: open() reports that later
    static_cast<void>(::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED));
    ::close(descriptor);
    return synced;
  }

  Result<std::unique_ptr<session::ByteSource>> open(const std::string& path) override {
    Result<std::unique_ptr<FileSource>> file = FileSource::open(path);
    if (!file) return file.error();
    return std::unique_ptr<session::ByteSource>(std::move(file.value()));
  }
};

}  // namespace

FileSystem& file_system() {
  static PosixFileSystem posix;
  return posix;
}

}  // namespace orrery::host
