// Replaces a file. If that fails, the old file is kept.
#include "client/cli/output_file.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "common/core/printable.h"
#include "common/host/disk/file_system.h"
#include "common/host/process/failure.h"

namespace orrery::cli {
namespace {

Error cannot_write(const std::string& path, int failure) {
  return Error{"cannot be written: " + host::explain_error(-failure), ErrorCode::io}.in(path);
}

// Creates a temporary file next to `path` and sets `draft` to its name. A file that already exists
// is never used, because it may belong to another program. Everybody may read the file, unless the
// umask says otherwise: a page may go to a web server. Returns a descriptor, or the negated error
// number.
int create_draft(const std::string& path, std::string& draft) {
  constexpr mode_t kEverybody = 0666;
  constexpr int kAttempts = 100;
  int descriptor = -EEXIST;
  for (int i = 0; i < kAttempts && descriptor == -EEXIST; ++i) {
    draft = path + '.' + std::to_string(i) + ".tmp";
    descriptor = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kEverybody);
    if (descriptor < 0) descriptor = -errno;
  }
  return descriptor;
}

}  // namespace

Result<std::unique_ptr<NewFile>> NewFile::create(const std::string& path) {
  std::string draft;
  const int descriptor = create_draft(path, draft);
  if (descriptor == -EEXIST) {
    return Error{"cannot be written: temporary files of killed programs, up to " +
                 printable(draft) + ", are in the way; remove them"}
        .in(path);
  }
  if (descriptor < 0) return cannot_write(path, descriptor);
  return std::unique_ptr<NewFile>(new NewFile(path, std::move(draft), descriptor));
}

NewFile::NewFile(const std::string& path, std::string draft, int descriptor)
    : path_(path), draft_(std::move(draft)), descriptor_(descriptor) {
  ORRERY_ASSERT(descriptor >= 0);
}

NewFile::~NewFile() {
  if (descriptor_ < 0) return;
  host::file_system().close(descriptor_);
  host::file_system().remove(draft_);
}

Status NewFile::status_of(int failure) const {
  return failure == 0 ? ok_status() : cannot_write(path_, failure);
}

Status NewFile::append(Bytes bytes) {
  ORRERY_ASSERT(descriptor_ >= 0);
  while (!bytes.empty()) {
    const std::int64_t written = host::file_system().write(descriptor_, bytes);
    if (written == -EINTR) continue;
    if (written <= 0) return status_of(written < 0 ? static_cast<int>(written) : -EIO);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return ok_status();
}

Status NewFile::complete() {
  host::FileSystem& files = host::file_system();
  int failure = files.sync(descriptor_);
  const int closed = files.close(std::exchange(descriptor_, -1));
  if (failure == 0) failure = closed;
  if (failure == 0) failure = files.rename(draft_, path_, true);
  if (failure != 0) files.remove(draft_);
  return status_of(failure);
}

Status replace_file(const std::string& path, const std::string& content) {
  const auto file = NewFile::create(path);
  if (!file) return file.error();
  const Bytes bytes(reinterpret_cast<const std::uint8_t*>(content.data()), content.size());
  if (Status written = file.value()->append(bytes); !written) return written;
  return file.value()->complete();
}

}  // namespace orrery::cli
