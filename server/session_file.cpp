// Owns the choice of a session's log by a name that stays the same from start to start.
#include "server/session_file.h"

#include "common/core/printable.h"
#include "common/host/log_lock.h"
#include "common/session/log_reader.h"

namespace orrery {
namespace {

// FILE, FILE-2, FILE-3, ...
std::string numbered(const std::string& file, std::uint32_t number) {
  return number == 1 ? file : file + "-" + std::to_string(number);
}

// A file that cannot be looked at counts: opening it says why.
bool is_there(const std::string& path, FileSystem& files) {
  return files.exists(path) != 0 && !is_empty_file(path, files);
}

// How many of FILE, FILE-2, ... there are.
std::uint32_t count_sessions(const std::string& file, FileSystem& files) {
  std::uint32_t count = 0;
  while (is_there(numbered(file, count + 1), files)) ++count;
  return count;
}

}  // namespace

Result<SessionFile> find_session(const std::string& file, Executor& executor, FileSystem& files) {
  const std::uint32_t last = count_sessions(file, files);
  if (last == 0) return SessionFile{file, {}};
  const std::string path = numbered(file, last);
  bool closed = false;
  Result<ResumableLog> log = recover_log(path, executor, files, &closed);
  if (closed) return SessionFile{numbered(file, last + 1), {}};
  if (!log) return log.error();
  return SessionFile{path, std::move(log.value())};
}

std::string why_taken(const std::string& path, FileSystem& files) {
  const std::string name = printable(path);
  if (is_being_written(path, files)) return name + ": is being written by a program that runs";
  const OpenSegment open = segments_of(path, files);
  const Result<std::unique_ptr<ByteSource>> first = open(0);
  if (!first) return "";
  LogReader log(*first.value(), open);
  if (!log.read_header()) return "";
  for (TickRecord record; log.next(record);) {
  }
  if (log.tail().closed) {
    return name + ": exists already, and its session was closed; --session " + name +
           " serves the next one, " + printable(numbered(path, 2)) + " and so on";
  }
  const bool is_last = count_sessions(path, files) == 1;
  return name + ": exists already, and its session was not closed; continue it with --resume " +
         name + (is_last ? " or --session " + name : "");
}

}  // namespace orrery
