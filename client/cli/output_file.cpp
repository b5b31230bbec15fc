// Owns how files are written that take the place of others.
#include "client/cli/output_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/core/printable.h"
#include "common/host/disk/file_system.h"

namespace orrery::cli {
namespace {

// 0 when the disk has all of it, or the error number negated.
int write_through(host::FileSystem& files, int descriptor, Bytes content) {
  while (!content.empty()) {
    const std::int64_t written = files.write(descriptor, content);
    if (written == -EINTR) continue;
    if (written <= 0) return written < 0 ? static_cast<int>(written) : -EIO;
    content = content.subspan(static_cast<std::size_t>(written));
  }
  return files.sync(descriptor);
}

// Makes a new file beside `path`, and `draft` its name: what has a name may be somebody else's.
// Returns a descriptor, or the error number negated.
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
    return Error{printable(path) + ": cannot be written, as its drafts up to " + printable(draft) +
                 " exist: programs that were killed left them; remove them"};
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
