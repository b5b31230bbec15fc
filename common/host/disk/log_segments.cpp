// Finds, claims and recovers the files of a session log.
#include "common/host/disk/log_segments.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <set>
#include <string_view>

#include "common/core/printable.h"
#include "common/host/disk/packing/packed_segment.h"
#include "common/host/process/failure.h"

namespace orrery::host {
namespace {

Error failure(const std::string& path, const char* what, int error_number) {
  return Error{std::string(what) + ": " + explain_error(error_number), ErrorCode::io}.in(path);
}

// Returns a function that opens segments as they are on the disk (FileSystem::settle). It settles
// each segment only once: that is enough, because nobody writes to the segments meanwhile. Copies
// of the function share the list of settled segments.
session::OpenSegment settled_segments_of(const std::string& path, FileSystem& files) {
  const auto settled = std::make_shared<std::set<std::uint32_t>>();
  return [path, &files, settled, open = segments_of(path, files)](
             std::uint32_t number) -> Result<std::unique_ptr<session::ByteSource>> {
    if (settled->contains(number)) return open(number);
    const std::string name = segment_path(path, number);
    const int result = files.settle(name);
    if (result < 0 && result != -ENOENT) return failure(name, "cannot be synced", -result);
    if (result >= 0) settled->insert(number);
    return open(number);
  };
}

// Returns the number of the first segment, from `number` on, that has no file. A segment of which
// only the beginning was written also has a file, so its number is not free.
Result<std::uint32_t> free_segment(const std::string& path, std::uint32_t number,
                                   FileSystem& files) {
  for (;; ++number) {
    const int taken = files.exists(segment_path(path, number));
    if (taken < 0) return failure(segment_path(path, number), "cannot be read", -taken);
    if (taken == 0) return number;
  }
}

// Removes the temporary files that the last holder of the lock left, up to the one of segment
// `last`. They certainly belong to this log: a log is not begun if a file has one of these names,
// and creating a temporary file replaces no file.
void remove_drafts(const std::string& path, std::uint32_t last, FileSystem& files) {
  for (std::uint32_t number = 0; number <= last; ++number) {
    files.remove(draft_path(segment_path(path, number)));
  }
}

constexpr std::string_view kDraftEnding = ".tmp";

// Readers of a log that has only segment 0 look for the segments 1 to kSegmentsBeyond.
constexpr std::uint32_t kSegmentsBeyond = 1 + session::kSegmentsMissingMax;

// Returns the path of the log if `path` has the name of a later segment: LOG for LOG.0001.
// Otherwise returns nothing.
std::optional<std::string> log_of_segment(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos || dot == 0) return {};
  std::uint32_t number = 0;
  const char* const end = path.data() + path.size();
  const auto read = std::from_chars(path.data() + dot + 1, end, number);
  if (read.ec != std::errc() || read.ptr != end || number == 0) return {};
  std::string log = path.substr(0, dot);
  return segment_path(log, number) == path ? std::optional(std::move(log)) : std::nullopt;
}

// Returns the path of the log to which a file of this name belongs: as a later segment, as a
// temporary file or as the lock. Returns nothing if the name is none of these.
std::optional<std::string> log_of_part(const std::string& path) {
  std::string name = path;
  if (path.ends_with(kDraftEnding)) name.resize(path.size() - kDraftEnding.size());
  if (lock_path(path.substr(0, path.rfind('.'))) == path) name.resize(path.rfind('.'));
  if (std::optional<std::string> log = log_of_segment(name)) return log;
  return name == path ? std::nullopt : std::optional(std::move(name));
}

// Returns the file that prevents a new log of this name, with an error number that says why; 0 if
// no file does. With `drafts`, existing temporary files of such a log prevent it too.
LogName judge_log_name(const std::string& path, bool drafts, FileSystem& files) {
  const auto judge = [&files](const std::string& name) {
    const int there = files.exists(name);
    return LogName{there > 0 ? EEXIST : -there, name};
  };
  if (const auto log = log_of_part(path); log && !files.is_folder(*log)) {
    if (LogName name = judge(*log); name.error_number != 0) return name;
  }
  for (std::uint32_t number = 0; number <= kSegmentsBeyond; ++number) {
    const std::string segment = segment_path(path, number);
    if (number > 0 || !is_empty_file(path, files)) {
      if (LogName name = judge(segment); name.error_number != 0) return name;
    }
    if (!drafts) continue;
    if (LogName name = judge(draft_path(segment)); name.error_number != 0) return name;
  }
  return {};
}

}  // namespace

std::string draft_path(const std::string& path) { return path + std::string(kDraftEnding); }

std::string segment_path(const std::string& path, std::uint32_t segment) {
  if (segment == 0) return path;
  char number[16];
  std::snprintf(number, sizeof number, ".%04u", segment);
  return path + number;
}

session::OpenSegment segments_of(const std::string& path, FileSystem& files) {
  return [path, &files](std::uint32_t number) -> Result<std::unique_ptr<session::ByteSource>> {
    const std::string name = segment_path(path, number);
    const int there = number == 0 ? 1 : files.exists(name);
    if (there < 0) return failure(name, "cannot be read", -there);
    if (there == 0) return std::unique_ptr<session::ByteSource>();
    Result<std::unique_ptr<SegmentSource>> source = SegmentSource::open(name, files);
    if (!source) return source.error();
    return std::unique_ptr<session::ByteSource>(std::move(source.value()));
  };
}

LogClaim claim_log(const std::string& path, FileSystem& files) {
  // A program takes the lock before it makes temporary files, and makes them only if there are
  // none. If a lock file exists and nobody holds the lock, temporary files are therefore from a
  // killed program.
  const bool killed = files.exists(lock_path(path)) > 0;
  LogClaim claim{nullptr, judge_log_name(path, !killed, files)};
  if (claim.name.error_number != 0) return claim;
  claim.lock = std::make_unique<LogLock>(files, path);
  const int locked = claim.lock->error_number();
  if (locked != 0) {
    claim.name = {locked, locked == EEXIST ? lock_path(path) : path};
    return claim;
  }
  claim.name = judge_log_name(path, !killed, files);  // a program may have taken the name meanwhile
  if (claim.name.error_number != 0) return claim;
  if (killed) remove_drafts(path, kSegmentsBeyond, files);
  if (is_empty_file(path, files)) files.remove(path);
  return claim;
}

Error LogName::error(const std::string& path) const {
  ORRERY_ASSERT(error_number != 0);
  if (error_number == EWOULDBLOCK) {
    return Error{"is being written by a running program; name a new file for the log"}.in(path);
  }
  if (error_number != EEXIST) return failure(in_the_way, "cannot be written", error_number);
  if (in_the_way.size() < path.size()) {
    return Error{"has the name of a segment of " + printable(in_the_way) +
                 ", which exists already; give the log another name"}
        .in(path);
  }
  const bool is_draft = in_the_way != path && in_the_way.ends_with(kDraftEnding);
  if (is_draft || in_the_way == lock_path(path)) {
    return Error{"exists already, but the writer of " + printable(path) +
                 " needs this name; move it away"}
        .in(in_the_way);
  }
  const bool is_segment = in_the_way != path;
  return Error{
      "exists already" +
      std::string(is_segment ? ", and has the name of a segment of " + printable(path) : "") +
      "; name a new file for the log"}
      .in(in_the_way);
}

Result<ResumableLog> recover_log(const std::string& path, Executor& executor, FileSystem& files,
                                 bool* closed) {
  auto lock = std::make_unique<LogLock>(files, path);
  if (lock->error_number() == EWOULDBLOCK) {
    return Error{"is being written by a running server; stop it first"}.in(path);
  }
  if (lock->error_number() == EEXIST) return LogName{EEXIST, lock_path(path)}.error(path);
  if (lock->error_number() != 0) return failure(path, "cannot be locked", lock->error_number());
  if (is_empty_file(path, files)) {
    return Error{"is empty: no session has begun in it; begin one with --log or --session"}.in(
        path);
  }
  Result<session::OpenedLog> log = session::open_log(settled_segments_of(path, files));
  if (!log) return log.error().in(path);
  Result<session::Recovered> recovered = session::recover(log.value(), executor);
  const session::LogTail& tail = log.value().reader->tail();
  if (tail.unreadable) return *tail.unreadable;
  if (closed) *closed = tail.closed;
  if (!recovered) return recovered.error().in(path);
  codec::LogHeader& next = recovered.value().header;
  const Result<std::uint32_t> segment = free_segment(path, next.segment, files);
  if (!segment) return segment.error();
  next.segment = segment.value();
  remove_drafts(path, next.segment, files);
  return ResumableLog{std::move(lock), std::move(recovered.value())};
}

}  // namespace orrery::host
