// Writes the status file, which readers always see complete.
#include "server/operator/status_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "common/core/printable.h"
#include "common/host/disk/file.h"
#include "common/host/process/failure.h"

namespace orrery::server {
namespace {

// First bytes of every status file. --status refuses to replace other JSON, such as a scene.
constexpr std::string_view kStatusStart = "{\"unix_seconds\": ";

std::string draft_of(const std::string& path) { return path + ".tmp"; }

Error failure(const std::string& path) {
  return Error{"cannot be written: " + host::explain_error(errno), ErrorCode::io}.in(path);
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

// Writes `text` to the temporary file `draft`, which other users may not read: it has the addresses
// of clients. Removes the file on an error.
Status write_draft(const std::string& draft, std::string_view text) {
  const int descriptor =
      ::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
             S_IRUSR | S_IWUSR | S_IRGRP);
  if (descriptor < 0) return failure(draft);
  const bool written = write_all(descriptor, text);
  const Status status = written ? ok_status() : failure(draft);
  ::close(descriptor);
  if (!written) ::unlink(draft.c_str());
  return status;
}

// Returns an Error if `path` exists and a status file must not replace it.
Status check_free(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return errno == ENOENT ? ok_status() : failure(path);
  const Error foreign{printable(path) +
                      ": is not a status file; give another name, or move it away"};
  if (!S_ISREG(found.st_mode)) return foreign;
  const auto file = host::FileSource::open(path);
  if (!file) return file.error();
  std::vector<std::uint8_t> start;
  if (Status read = file.value()->read_up_to(kStatusStart.size(), start); !read) return read;
  return std::ranges::equal(start, kStatusStart.substr(0, start.size())) &&
                 (start.empty() || start.size() == kStatusStart.size())
             ? ok_status()
             : foreign;
}

bool is_of_log(const std::string& path, const std::string& log) {
  std::error_code error;
  const std::string a = std::filesystem::weakly_canonical(path, error).string();
  const std::string b = std::filesystem::weakly_canonical(log, error).string();
  return a == b || a.starts_with(b + '.') || draft_of(a) == b;
}

}  // namespace

Status check_status_file(const std::string& path, const std::string& log) {
  if (!log.empty() && is_of_log(path, log)) {
    return Error{"is a name of the session log; give another"}.in(path);
  }
  if (Status free = check_free(path); !free) return free;
  const std::string draft = draft_of(path);
  if (Status free = check_free(draft); !free) return free;
  if (Status written = write_draft(draft, ""); !written) return written;
  ::unlink(draft.c_str());
  return ok_status();
}

Status replace_status_file(const std::string& path, const std::string& text) {
  const std::string draft = draft_of(path);
  if (Status written = write_draft(draft, text); !written) return written;
  return std::rename(draft.c_str(), path.c_str()) == 0 ? ok_status() : failure(path);
}

}  // namespace orrery::server
