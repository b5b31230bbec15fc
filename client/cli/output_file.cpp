// Owns how files are written that take the place of others.
#include "client/cli/output_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/core/printable.h"
#include "common/host/file_system.h"
#include "common/host/log_segments.h"

namespace orrery {
namespace {

// 0 when the disk has all of it, or the error number negated.
int write_through(FileSystem& files, int descriptor, Bytes content) {
  while (!content.empty()) {
    const std::int64_t written = files.write(descriptor, content);
    if (written == -EINTR) continue;
    if (written <= 0) return written < 0 ? static_cast<int>(written) : -EIO;
    content = content.subspan(static_cast<std::size_t>(written));
  }
  return files.sync(descriptor);
}

}  // namespace

Status replace_file(const std::string& path, const std::string& content) {
  FileSystem& files = file_system();
  const std::string draft = draft_path(path);
  const Bytes bytes(reinterpret_cast<const std::uint8_t*>(content.data()), content.size());
  const int descriptor = files.create(draft, false);
  int failure = std::min(0, descriptor);
  if (failure == 0) {
    failure = write_through(files, descriptor, bytes);
    const int closed = files.close(descriptor);
    if (failure == 0) failure = closed;
    if (failure == 0) failure = files.rename(draft, path, true);
    if (failure != 0) files.remove(draft);
  }
  if (failure == 0) return ok_status();
  return Error{printable(path) + ": cannot be written: " + std::strerror(-failure)};
}

}  // namespace orrery
