// Owns the system calls of POSIX that a session log is written with.
#include "common/host/file_system.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace orrery {
namespace {

int result(int returned) { return returned < 0 ? -errno : returned; }

struct PosixFileSystem final : FileSystem {
  int create(const std::string& path, bool must_be_new) override {
    const int how = must_be_new ? O_EXCL : O_TRUNC;
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | how, 0666);
    if (descriptor < 0) return -errno;
    // Where there are no locks, nobody who resumes can be warned.
    static_cast<void>(::flock(descriptor, LOCK_EX | LOCK_NB));
    return descriptor;
  }

  std::int64_t write(int descriptor, Bytes bytes) override {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    return written < 0 ? -errno : written;
  }

  int sync(int descriptor) override { return result(::fdatasync(descriptor)); }

  int close(int descriptor) override { return result(::close(descriptor)); }

  int rename(const std::string& from, const std::string& to) override {
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
};

}  // namespace

FileSystem& file_system() {
  static PosixFileSystem posix;
  return posix;
}

}  // namespace orrery
