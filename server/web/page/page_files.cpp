// Keeps the files of the page in memory, as they were when the server started.
#include "server/web/page/page_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "common/core/limits.h"
#include "common/core/printable.h"
#include "common/host/disk/file.h"
#include "common/host/process/failure.h"
#include "server/web/page/gunzip.h"

namespace orrery::server::web {
namespace {

constexpr std::string_view kGzip = ".gz";

std::string_view type_of(std::string_view name) {
  constexpr auto kTypes = std::to_array<std::pair<std::string_view, std::string_view>>({
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".wasm", "application/wasm"},
      {".json", "application/json"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".ico", "image/x-icon"},
      {".txt", "text/plain; charset=utf-8"},
  });
  for (const auto& [end, type] : kTypes) {
    if (name.ends_with(end)) return type;
  }
  return "application/octet-stream";
}

// Returns true if the name has a dash and eight lowercase hex digits before its ending, as in
// app-1a2b3c4d.js. The build of the page writes the hash of the content there.
bool has_hash(std::string_view name) {
  constexpr std::size_t kHashLength = 8;
  const std::size_t dot = name.find('.', name.rfind('/') + 1);
  const std::size_t dash = name.rfind('-', dot);
  if (dot == std::string_view::npos || dash == std::string_view::npos) return false;
  const std::string_view hash = name.substr(dash + 1, dot - dash - 1);
  return hash.size() == kHashLength && std::ranges::all_of(hash, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Error too_much(const std::string& folder) {
  return Error{"has more than " + std::to_string(limits::kWebFilesMax) + " files or " +
               std::to_string(limits::kWebFileBytesMax >> 20) +
               " MiB; install only the built page there"}
      .in(folder);
}

}  // namespace

Result<PageFiles> PageFiles::read(const std::string& folder) {
  namespace fs = std::filesystem;
  PageFiles page;
  std::error_code error;
  std::size_t bytes_left = limits::kWebFileBytesMax;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (!at->is_regular_file(error) || at->is_symlink(error)) continue;
    const auto source = host::FileSource::open(at->path().string());
    if (!source) return source.error();
    std::vector<std::uint8_t> bytes;
    const Status read = source.value()->read_up_to(bytes_left + 1, bytes);
    if (!read) return read.error();
    if (bytes.size() > bytes_left || page.files_.size() == limits::kWebFilesMax) {
      return too_much(folder);
    }
    bytes_left -= bytes.size();
    std::string name = '/' + fs::relative(at->path(), folder, error).generic_string();
    PageFile file;
    file.bytes.assign(bytes.begin(), bytes.end());
    if (name.ends_with(kGzip)) {
      name.resize(name.size() - kGzip.size());
      auto content = gunzip(file.bytes, bytes_left);
      if (!content) return Error{printable(at->path().string()) + content.error().text()};
      bytes_left -= content.value().size();
      file.gzip = std::exchange(file.bytes, std::move(content.value()));
    }
    file.type = type_of(name);
    file.immutable = has_hash(name);
    PageFile& kept = page.files_[std::move(name)];
    if (kept.gzip.empty()) kept = std::move(file);
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return Error{host::explain_error(error.value(), "make the folder readable"), ErrorCode::io}.in(
        folder);
  }
  return page;
}

const PageFile* PageFiles::find(std::string_view path) const {
  const auto found = files_.find(path == "/" ? "/index.html" : path);
  return found == files_.end() ? nullptr : &found->second;
}

}  // namespace orrery::server::web
