// Chooses the log for --session FILE: FILE, or FILE-2, FILE-3, ... after sessions that were closed.
#include "server/session_file.h"

#include <cstring>

#include "common/core/printable.h"
#include "common/host/disk/log_lock.h"
#include "common/host/process/failure.h"
#include "common/session/log_reader.h"
#include "common/session/versions.h"

namespace orrery::server {
namespace {

// Returns FILE, FILE-2, FILE-3, ...
std::string numbered(const std::string& file, std::uint32_t number) {
  return number == 1 ? file : file + "-" + std::to_string(number);
}

// Most consecutive numbers without a log, after which the search ends. Old logs may have been moved
// to an archive.
constexpr std::uint32_t kMissingMax = 100;

// Returns the highest number of a log that exists: 1 for FILE, 2 for FILE-2, and so on. Returns 0
// if there is none. Returns an Error if the file system cannot check a name.
Result<std::uint32_t> last_session(const std::string& file, host::FileSystem& files) {
  std::uint32_t last = 0;
  for (std::uint32_t number = 1; number <= last + 1 + kMissingMax; ++number) {
    const std::string path = numbered(file, number);
    const int there = files.exists(path);
    if (there < 0) return Error{host::explain_error(-there), ErrorCode::io}.in(path);
    if (there > 0 && !host::is_empty_file(path, files)) last = number;
  }
  return last;
}

// Adds to the error message how to begin another session. Adds nothing if a server is writing this
// log now.
Error no_session(const std::string& path, const Error& why, host::FileSystem& files) {
  if (host::is_being_written(path, files)) return why;
  return Error{why.text() + "; to begin another session, move this log and its segments away"};
}

}  // namespace

Result<SessionFile> find_session(const std::string& file, Executor& executor,
                                 host::FileSystem& files) {
  const Result<std::uint32_t> last = last_session(file, files);
  if (!last) return last.error();
  if (last.value() == 0) return SessionFile{file, {}};
  const std::string path = numbered(file, last.value());
  bool closed = false;
  Result<host::ResumableLog> log = host::recover_log(path, executor, files, &closed);
  if (closed) return SessionFile{numbered(file, last.value() + 1), {}};
  if (!log) return no_session(path, log.error(), files);
  return SessionFile{path, std::move(log.value())};
}

std::string why_taken(const std::string& path, host::FileSystem& files) {
  const std::string name = printable(path);
  if (host::is_being_written(path, files)) return name + ": is being written by a running program";
  const Result<session::OpenedLog> log = session::open_log(host::segments_of(path, files));
  if (!log) return "";
  session::LogReader& reader = *log.value().reader;
  for (session::TickRecord record; reader.next(record);) {
  }
  if (reader.tail().closed) {
    return name + ": exists already, and its session was closed; --session " + name +
           " serves the next one, " + printable(numbered(path, 2)) + " and so on";
  }
  if (log.value().header.rules != kRulesVersion) {
    return name + ": exists already, and was recorded under " +
           session::other_rules(log.value().header.rules) + "; give another name";
  }
  const Result<std::uint32_t> last = last_session(path, files);
  const bool is_last = last && last.value() == 1;
  return name + ": exists already, and its session was not closed; continue it with --resume " +
         name + (is_last ? " or --session " + name : "");
}

}  // namespace orrery::server
