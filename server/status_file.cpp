// Owns how the status file is replaced.
#include "server/status_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "common/core/printable.h"
#include "common/host/file.h"
#include "common/host/file_system.h"

namespace orrery {
namespace {

Error failure(const std::string& path) {
  return Error{printable(path) + ": cannot be written: " + std::strerror(errno)};
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Writes a file of its own under the name.
Status write_draft(const std::string& draft, std::string_view text) {
  const int descriptor =
      ::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor < 0) return failure(draft);
  const bool written = write_all(descriptor, text);
  const Status status = written ? ok_status() : failure(draft);
  ::close(descriptor);
  if (!written) ::unlink(draft.c_str());
  return status;
}

}  // namespace

Status check_status_file(const std::string& path) {
  if (file_system().exists(path) != 0) {
    const auto file = FileSource::open(path);
    if (!file) return file.error();
    std::vector<std::uint8_t> start;
    if (Status read = file.value()->read_up_to(1, start); !read) return read;
    if (!start.empty() && start[0] != '{') {
      return Error{printable(path) + ": is not a status file; give another name, or move it away"};
    }
  }
  const std::string draft = path + ".tmp";
  if (Status written = write_draft(draft, ""); !written) return written;
  ::unlink(draft.c_str());
  return ok_status();
}

Status replace_status_file(const std::string& path, const std::string& text) {
  const std::string draft = path + ".tmp";
  if (Status written = write_draft(draft, text); !written) return written;
  return std::rename(draft.c_str(), path.c_str()) == 0 ? ok_status() : failure(path);
}

}  // namespace orrery
