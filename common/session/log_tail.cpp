// Describes the end of a log: closed, torn or damaged, and its gaps.
#include "common/session/log_tail.h"

#include <vector>

#include "common/core/counted.h"
#include "common/core/printable.h"

namespace orrery::session {
namespace {

// Returns one sentence for each fault of a log. If the log is unreadable, returns only the sentence
// about that.
std::vector<std::string> faults(const LogTail& tail) {
  const std::string tick = std::to_string(tail.tick.value);
  const std::string bytes = counted(tail.lost_bytes, "byte");
  if (tail.unreadable) {
    return {"unreadable after tick " + tick + ": " + tail.unreadable->text()};
  }
  std::vector<std::string> found;
  if (tail.lost_ticks != 0) {
    found.push_back(counted(tail.lost_ticks, "tick") +
                    (tail.lost_ticks == 1 ? " is missing" : " are missing"));
  }
  if (tail.removed_ticks != 0) {
    found.push_back(counted(tail.removed_ticks, "tick") + " removed to save space");
  }
  if (tail.damaged && tail.reason.empty()) {
    found.push_back("damaged after tick " + tick + ": " + bytes +
                    " ignored, including valid records");
  } else if (tail.damaged) {
    found.push_back("damaged after tick " + tick + ": " + printable(tail.reason) + "; " + bytes +
                    " ignored");
  } else if (!tail.closed) {
    found.push_back("torn after tick " + tick + ": the session was not closed; " + bytes +
                    " ignored");
  } else if (tail.lost_bytes != 0) {
    found.push_back(bytes + " ignored");
  }
  if (tail.abandoned_bytes != 0) {
    found.push_back(counted(tail.abandoned_bytes, "byte") +
                    " ignored where the disk failed: the next segment starts before them");
  }
  return found;
}

}  // namespace

std::string describe(const LogTail& tail, bool being_written) {
  ORRERY_ASSERT(!(being_written && tail.closed));
  std::vector<std::string> parts = faults(tail);
  if (being_written) parts.emplace_back("a running program is writing it");
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

}  // namespace orrery::session
