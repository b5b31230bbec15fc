// Implements `orrery log repair` and `orrery log export --single`: copies a log into one file.
#include <cstdio>

#include "client/cli/command_line/shared_options.h"
#include "client/cli/json.h"
#include "client/cli/log_input.h"
#include "client/cli/unusable.h"
#include "client/cli/verbs/log/log.h"
#include "common/core/counted.h"
#include "common/core/printable.h"
#include "common/host/disk/log_copy.h"
#include "common/host/disk/log_lock.h"
#include "common/session/replay/replay.h"

namespace orrery::cli {
namespace {

// Describes the part of the log that the copy lacks; empty if the copy is complete.
std::string what_is_lost(const host::LogCopy& copy, const session::LogTail& tail) {
  const std::string after = " after tick " + std::to_string(copy.last.value);
  if (!copy.whole) return "everything" + after + ", because ticks are missing there";
  if (!tail.reason.empty()) return "everything" + after + ": " + printable(tail.reason);
  const std::string bytes = counted(tail.lost_bytes, "byte");
  if (tail.damaged) return bytes + after + ", including valid records";
  return tail.lost_bytes == 0 ? "" : bytes + " of incomplete records";
}

void report(const LogCopyOptions& options, const host::LogCopy& copy,
            const session::LogTail& tail) {
  if (options.json) {
    json::print(json::object({{"ticks", copy.last.value},
                              {"hash", json::hash(copy.hash)},
                              {"torn", !tail.closed || tail.lost_bytes != 0},
                              {"damaged", tail.damaged || !copy.whole},
                              {"lost_bytes", tail.lost_bytes}}));
    return;
  }
  std::printf("%s: %s, hash %s\n", printable(options.out).c_str(),
              counted(copy.last.value, "tick").c_str(), json::hash(copy.hash).c_str());
  const std::string lost = what_is_lost(copy, tail);
  if (!lost.empty()) std::printf("  lost: %s\n", lost.c_str());
}

// Copies the log. Refuses a log with an invalid scene, because no program could read the copy.
Result<host::LogCopy> copy(LogInput& log, const LogCopyOptions& options) {
  if (const Result<Scene> scene = session::recorded_scene(log.header); !scene) {
    return scene.error().in(log.path);
  }
  Result<host::LogCopy> made = host::copy_log(*log.reader, log.header, options.out);
  if (!made) return made.error().of_option("-o");
  const session::LogTail& tail = log.reader->tail();
  if (!tail.unreadable) return made;
  std::remove(options.out.c_str());
  return *tail.unreadable;
}

int log_repair(const LogCopyOptions& options) {
  if (host::is_being_written(options.log)) {
    return unusable(printable(options.log) +
                    ": is being written by a running program; repair it after that has ended");
  }
  Result<LogInput> log = open_log(options.log);
  if (!log) return refuse(log.error());
  const Result<host::LogCopy> made = copy(log.value(), options);
  if (!made) return unusable(made.error().text());
  const session::LogTail& tail = log.value().reader->tail();
  report(options, made.value(), tail);
  return tail.damaged || !made.value().whole ? 1 : 0;
}

}  // namespace

void add_log_repair(Verb& log) {
  auto [verb, options] =
      log.add_verb("repair", "Copy the readable records of a damaged log into a new log",
                   "  orrery log repair a.orrery -o repaired.orrery", log_repair);
  add_log_argument(verb, options.log);
  add_new_file(verb, "-o", options.out, "Write the new log to this file").required();
  add_json(verb, options.json);
}

int log_join(const LogCopyOptions& options) {
  Result<LogInput> log = open_log(options.log);
  if (!log) return refuse(log.error());
  const Result<host::LogCopy> made = copy(log.value(), options);
  if (!made) return unusable(made.error().text());
  const session::LogTail& tail = log.value().reader->tail();
  if (made.value().whole && !tail.damaged) {
    report(options, made.value(), tail);
    return 0;
  }
  std::remove(options.out.c_str());
  const std::string after = " after tick " + std::to_string(made.value().last.value);
  return unusable(printable(options.log) + (tail.damaged ? ": is damaged" : ": has a gap") + after +
                      "; orrery log repair joins the ticks before that",
                  1);
}

}  // namespace orrery::cli
