// Reads files through POSIX.
#include "common/host/disk/file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/host/process/failure.h"

namespace orrery::host {
namespace {

// Returns true for an anonymous pipe, which a shell makes for /dev/stdin, and false for a named
// one.
bool is_unnamed(int pipe) {
  struct statfs about {};
  return ::fstatfs(pipe, &about) == 0 && about.f_type == PIPEFS_MAGIC;
}

// Returns what a file is, such as "is a directory", if FileSource refuses it. Returns nullptr if
// FileSource reads it.
const char* what_else(int descriptor, mode_t mode, dev_t device) {
  const dev_t kNull = makedev(1, 3);  // /dev/null ends at once
  if (S_ISDIR(mode)) return "is a directory";
  if (S_ISCHR(mode) && device == kNull) return nullptr;
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "is a device";
  return S_ISFIFO(mode) && !is_unnamed(descriptor) ? "is a named pipe" : nullptr;
}

}  // namespace

Result<std::unique_ptr<FileSource>> FileSource::open(const std::string& path) {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    return Error{"cannot be read: " + explain_error(errno), ErrorCode::io}.in(path);
  }
  struct stat about {};
  const bool known = ::fstat(descriptor, &about) == 0;
  if (const char* const other =
          known ? what_else(descriptor, about.st_mode, about.st_rdev) : nullptr) {
    ::close(descriptor);
    return Error{std::string(other) + "; expected a file"}.in(path);
  }
  const int waiting = ::fcntl(descriptor, F_SETFL, 0);  // from now on, reads wait for data
  ORRERY_ASSERT(waiting == 0);
  const bool sized = known && S_ISREG(about.st_mode);
  const std::uint64_t size = sized ? static_cast<std::uint64_t>(about.st_size) : 0;
  return std::unique_ptr<FileSource>(new FileSource(descriptor, path, size));
}

FileSource::FileSource(int descriptor, std::string path, std::uint64_t size)
    : descriptor_(descriptor), path_(std::move(path)), size_(size) {
  ORRERY_ASSERT(descriptor >= 0);
}

FileSource::~FileSource() { ::close(descriptor_); }

std::size_t FileSource::read(std::span<std::uint8_t> into) {
  std::size_t have = 0;
  while (have < into.size() && error_number_ == 0) {
    const ssize_t got = ::read(descriptor_, into.data() + have, into.size() - have);
    if (got == 0) break;
    if (got > 0) {
      have += static_cast<std::size_t>(got);
    } else if (errno != EINTR) {
      error_number_ = errno;
    }
  }
  ORRERY_ASSERT(have <= into.size());
  return have;
}

bool FileSource::seek(std::uint64_t offset) {
  return offset <= size_ && ::lseek(descriptor_, static_cast<off_t>(offset), SEEK_SET) >= 0;
}

Status FileSource::status() const {
  if (error_number_ == 0) return ok_status();
  return Error{"cannot be read: " + explain_error(error_number_), ErrorCode::io}.in(path_);
}

Status FileSource::read_up_to(std::size_t bytes_max, std::vector<std::uint8_t>& bytes) {
  constexpr std::size_t kChunk = std::size_t{64} << 10;
  for (bool more = bytes.size() < bytes_max; more;) {
    const std::size_t have = bytes.size();
    const std::size_t wanted = std::min(std::max(kChunk, have), bytes_max - have);
    bytes.resize(have + wanted);
    const std::size_t got = read(std::span(bytes).subspan(have));
    bytes.resize(have + got);
    more = got == wanted && bytes.size() < bytes_max;
  }
  return status();
}

}  // namespace orrery::host
