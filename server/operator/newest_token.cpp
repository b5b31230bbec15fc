// Keeps the creation time of the newest token that the server accepted in a file, for its next run.
#include "server/operator/newest_token.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "common/core/printable.h"

namespace orrery::server {
namespace {

constexpr std::size_t kBytesMax = 21;  // the longest number, and the end of the line

Error file_error(const std::string& path) {
  return Error{std::strerror(errno), ErrorCode::io}.in(path);
}

// Opens, uses and closes a file. `use(descriptor)` returns false and sets errno if it fails.
Status with_file(const std::string& path, int flags, auto use) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (file < 0) return file_error(path);
  const Status status = use(file) ? ok_status() : file_error(path);
  ::close(file);
  return status;
}

}  // namespace

std::string newest_token_path(const std::string& log_path, std::uint16_t port) {
  const auto folder = std::filesystem::path(log_path).parent_path();
  return (folder / ("orreryd-" + std::to_string(port) + ".newest-token")).string();
}

Result<std::uint64_t> read_newest_token(const std::string& path) {
  std::array<char, kBytesMax + 1> text{};
  ssize_t size = 0;
  const Status read = with_file(path, O_RDONLY, [&](int file) {
    struct stat found {};
    if (::fstat(file, &found) != 0) return false;
    if (S_ISREG(found.st_mode)) size = ::read(file, text.data(), text.size());
    return size >= 0;
  });
  if (!read && errno == ENOENT) return std::uint64_t{0};
  if (!read) return read.error();
  std::uint64_t created = 0;
  const char* const end = text.data() + size;
  const auto [at, error] = std::from_chars(text.data(), end, created);
  if (error == std::errc{} && at + 1 == end && *at == '\n') return created;
  return Error{"does not have the time of the newest token; delete it if the clock is right"}.in(
      path);
}

Status write_newest_token(const std::string& path, std::uint64_t created) {
  const std::string draft = path + ".tmp";
  const std::string text = std::to_string(created) + '\n';
  Status written = with_file(draft, O_WRONLY | O_CREAT | O_TRUNC, [&](int file) {
    const ssize_t size = ::write(file, text.data(), text.size());
    if (size >= 0 && static_cast<std::size_t>(size) < text.size()) errno = ENOSPC;
    return size == static_cast<ssize_t>(text.size()) && ::fsync(file) == 0;
  });
  if (!written) return written;
  if (std::rename(draft.c_str(), path.c_str()) != 0) return file_error(path);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return with_file(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY,
                   [](int file) { return ::fsync(file) == 0; });
}

}  // namespace orrery::server
