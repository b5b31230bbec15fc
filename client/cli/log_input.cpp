// Opens session logs for the verbs, and says how they end.
#include "client/cli/log_input.h"

#include <string_view>
#include <utility>

#include "client/cli/unusable.h"
#include "common/core/printable.h"
#include "common/host/disk/log_lock.h"
#include "common/host/disk/log_segments.h"

namespace orrery::cli {

Result<LogInput> open_log(const std::string& path) {
  Result<session::OpenedLog> log = session::open_log(host::segments_of(path));
  if (!log) return log.error().in(path);
  return LogInput{std::move(log.value()), path};
}

bool is_growing(const std::string& path, const session::LogTail& tail) {
  return !tail.closed && !tail.damaged && host::is_being_written(path);
}

std::string describe_end(const std::string& path, const session::LogTail& tail) {
  return describe(tail, is_growing(path, tail));
}

json::Object& add_end(const std::string& path, const session::LogTail& tail, json::Object& object) {
  return object.add({{"torn", !tail.closed || tail.lost_bytes != 0},
                     {"damaged", tail.damaged},
                     {"reason", tail.reason.empty() ? json::null() : json::of(tail.reason)},
                     {"segments", tail.segment + 1},
                     {"lost_bytes", tail.lost_bytes},
                     {"abandoned_bytes", tail.abandoned_bytes},
                     {"lost_ticks", tail.lost_ticks},
                     {"removed_ticks", tail.removed_ticks},
                     {"being_written", is_growing(path, tail)}});
}

int judge_end(const std::string& path, const session::LogTail& tail) {
  if (tail.unreadable) return unusable(tail.unreadable->text());
  if (!tail.damaged && tail.lost_ticks == 0 && tail.removed_ticks == 0) return 0;
  return unusable(printable(path) + ": " + describe(tail) +
                      (tail.damaged ? "; the ticks before it are used" : ""),
                  tail.damaged ? 1 : 0);
}

}  // namespace orrery::cli
