// Owns the opening of segments.
#include "common/host/log_segments.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "common/core/printable.h"
#include "common/host/packed_segment.h"

namespace orrery {
namespace {

// Makes sure that the disk has what is read of a file, and that nobody writes it: whoever does
// holds a lock on it (host/file_system.h).
Status settle(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool locked = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  const int error_number = ::fdatasync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (locked) return Error{printable(path) + " is being written by a server that runs"};
  if (error_number == 0) return ok_status();
  return Error{printable(path) + ": cannot be synced: " + std::strerror(error_number)};
}

}  // namespace

std::string segment_path(const std::string& path, std::uint32_t segment) {
  if (segment == 0) return path;
  char number[16];
  std::snprintf(number, sizeof number, ".%04u", segment);
  return path + number;
}

OpenSegment segments_of(const std::string& path) {
  return [path](std::uint32_t number) -> Result<std::unique_ptr<ByteSource>> {
    const std::string name = segment_path(path, number);
    std::error_code failure;
    const bool there = number == 0 || std::filesystem::exists(name, failure);
    if (failure) return Error{printable(name) + ": cannot be read: " + failure.message()};
    if (!there) return std::unique_ptr<ByteSource>();
    Result<std::unique_ptr<SegmentSource>> source = SegmentSource::open(name);
    if (!source) return source.error();
    return std::unique_ptr<ByteSource>(std::move(source.value()));
  };
}

Result<Recovered> recover_log(const std::string& path, Executor& executor) {
  const std::string name = printable(path) + ": ";
  const Result<std::unique_ptr<SegmentSource>> first = SegmentSource::open(path);
  if (!first) return first.error();
  LogReader log(*first.value(), segments_of(path));
  Result<Recovered> recovered = recover(log, executor);
  if (log.tail().unreadable) return *log.tail().unreadable;
  const Status settled = settle(segment_path(path, log.tail().segment));
  if (!settled) return settled.error();
  if (!recovered) return Error{name + recovered.error().message};
  return recovered;
}

}  // namespace orrery
