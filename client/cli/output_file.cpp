// Replaces a file. If that fails, the old file is kept.
#include "client/cli/output_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/core/printable.h"
#include "common/host/disk/file_system.h"

namespace orrery::cli {
namespace {

// Writes the content and syncs it. Returns 0, or the negated error number.
int write_through(host::FileSystem& files, int descriptor, Bytes content) {
  while (!content.empty()) {
    const std::int64_t written = files.write(descriptor, content);
    if (written == -EINTR) continue;
    if (written <= 0) return written < 0 ? static_cast<int>(written) : -EIO;
    content = content.subspan(static_cast<std::size_t>(written));
  }
  return files.sync(descriptor);
}

// Creates a temporary file next to `path` and sets `draft` to its name. A file that already exists
// is never used, because it may belong to another program. Returns a descriptor, or the negated
// error number.
int create_draft(host::FileSystem& files, const std::string& path, std::string& draft) {
  constexpr int kAttempts = 100;
  int descriptor = -EEXIST;
  for (int i = 0; i < kAttempts && descriptor == -EEXIST; ++i) {
    draft = path + '.' + std::to_string(i) + ".tmp";
    descriptor = files.create(draft, true);
  }
  return descriptor;
}

}  // namespace

Status replace_file(const std::string& path, const std::string& content) {
  host::FileSystem& files = host::file_system();
  std::string draft;
  const Bytes bytes(reinterpret_cast<const std::uint8_t*>(content.data()), content.size());
  const int descriptor = create_draft(files, path, draft);
  if (descriptor == -EEXIST) {
    return Error{printable(path) +
                 ": cannot be written: temporary files of killed programs, up to " +
                 printable(draft) + ", are in the way; remove them"};
  }
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

}  // namespace orrery::cli
