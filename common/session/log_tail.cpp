// Describes the end of a log: closed, torn or damaged, and its gaps.
#include "common/session/log_tail.h"

#include <string_view>
#include <vector>

#include "common/core/counted.h"
#include "common/core/fill_in.h"
#include "common/core/printable.h"

namespace orrery::session {
namespace {

// Sentences for faults of a log. Each {} is replaced by a tick, a reason, or a number of bytes or
// ticks.
struct Words {
  const char* unreadable;
  const char* missing_tick;
  const char* missing_ticks;
  const char* removed;
  const char* damaged;
  const char* damaged_inside;
  const char* torn;
  const char* ignored;
  const char* abandoned;
  const char* being_written;
};

constexpr Words kWords = {
    .unreadable = "unreadable after tick {}: {}",
    .missing_tick = "{} is missing",
    .missing_ticks = "{} are missing",
    .removed = "{} removed to save space",
    .damaged = "damaged after tick {}: {}; {} ignored",
    .damaged_inside = "damaged after tick {}: {} ignored, including valid records",
    .torn = "torn after tick {}: the session was not closed; {} ignored",
    .ignored = "{} ignored",
    .abandoned = "{} ignored where the disk failed: the next segment starts before them",
    .being_written = "a running program is writing it"};

constexpr Words kJsonWords = {
    .unreadable = "unreadable behind tick {}: {}",
    .missing_tick = "{} are missing",
    .missing_ticks = "{} are missing",
    .removed = "{} removed to save space",
    .damaged = "damaged behind tick {}: {}; {} do not count",
    .damaged_inside = "damaged behind tick {}: {} do not count, valid records among them",
    .torn = "torn behind tick {}: the session was not closed; {} do not count",
    .ignored = "{} do not count",
    .abandoned = "{} where the disk failed do not count, as the next segment goes on before them",
    .being_written = "a program is writing it now"};

// Returns one sentence for each fault of a log. If the log is unreadable, returns only the sentence
// about that.
std::vector<std::string> faults(const LogTail& tail, const Words& words) {
  const std::string tick = std::to_string(tail.tick.value);
  const std::string bytes = counted(tail.lost_bytes, "byte");
  if (tail.unreadable) return {fill_in(words.unreadable, {tick, tail.unreadable->message})};
  std::vector<std::string> found;
  if (tail.lost_ticks != 0) {
    found.push_back(fill_in(tail.lost_ticks == 1 ? words.missing_tick : words.missing_ticks,
                            {counted(tail.lost_ticks, "tick")}));
  }
  if (tail.removed_ticks != 0) {
    found.push_back(fill_in(words.removed, {counted(tail.removed_ticks, "tick")}));
  }
  if (tail.damaged && tail.reason.empty()) {
    found.push_back(fill_in(words.damaged_inside, {tick, bytes}));
  } else if (tail.damaged) {
    found.push_back(fill_in(words.damaged, {tick, printable(tail.reason), bytes}));
  } else if (!tail.closed) {
    found.push_back(fill_in(words.torn, {tick, bytes}));
  } else if (tail.lost_bytes != 0) {
    found.push_back(fill_in(words.ignored, {bytes}));
  }
  if (tail.abandoned_bytes != 0) {
    found.push_back(fill_in(words.abandoned, {counted(tail.abandoned_bytes, "byte")}));
  }
  return found;
}

std::string describe(const LogTail& tail, bool being_written, const Words& words) {
  ORRERY_ASSERT(!(being_written && tail.closed));
  std::vector<std::string> parts = faults(tail, words);
  if (being_written) parts.emplace_back(words.being_written);
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

}  // namespace

std::string describe(const LogTail& tail, bool being_written) {
  return describe(tail, being_written, kWords);
}

std::string describe_for_json(const LogTail& tail, bool being_written) {
  return describe(tail, being_written, kJsonWords);
}

}  // namespace orrery::session
