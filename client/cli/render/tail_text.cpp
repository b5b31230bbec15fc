// Describes the end of a log, and its gaps.
#include "client/cli/render/tail_text.h"

#include <string_view>
#include <vector>

#include "client/cli/render/counted.h"
#include "common/core/fill_in.h"
#include "common/core/printable.h"

namespace orrery::cli {

namespace {

// Sentences about damaged ends. Their {} are ticks, reasons and numbers of bytes.
struct Words {
  const char* unreadable;
  const char* missing_tick;
  const char* missing_ticks;
  const char* damaged;
  const char* damaged_inside;
  const char* torn;
  const char* ignored;
  const char* given_up;
};

constexpr Words kWords = {
    .unreadable = "unreadable after tick {}: {}",
    .missing_tick = "{} is missing",
    .missing_ticks = "{} are missing",
    .damaged = "damaged after tick {}: {}; {} ignored",
    .damaged_inside = "damaged after tick {}: {} ignored, including valid records",
    .torn = "torn after tick {}: the session was not closed; {} ignored",
    .ignored = "{} ignored",
    .given_up = "{} ignored where the disk failed: the next segment starts before them"};

constexpr Words kJsonWords = {
    .unreadable = "unreadable behind tick {}: {}",
    .missing_tick = "{} are missing",
    .missing_ticks = "{} are missing",
    .damaged = "damaged behind tick {}: {}; {} do not count",
    .damaged_inside = "damaged behind tick {}: {} do not count, valid records among them",
    .torn = "torn behind tick {}: the session was not closed; {} do not count",
    .ignored = "{} do not count",
    .given_up = "{} where the disk failed do not count, as the next segment goes on before them"};

std::string describe(const session::LogTail& tail, const Words& words) {
  const std::string tick = std::to_string(tail.tick.value);
  const std::string bytes = counted(tail.lost_bytes, "byte");
  if (tail.unreadable) return fill_in(words.unreadable, {tick, tail.unreadable->message});
  std::vector<std::string> parts;
  if (tail.lost_ticks != 0) {
    parts.push_back(fill_in(tail.lost_ticks == 1 ? words.missing_tick : words.missing_ticks,
                            {counted(tail.lost_ticks, "tick")}));
  }
  if (tail.damaged && tail.reason.empty()) {
    parts.push_back(fill_in(words.damaged_inside, {tick, bytes}));
  } else if (tail.damaged) {
    parts.push_back(fill_in(words.damaged, {tick, printable(tail.reason), bytes}));
  } else if (!tail.closed) {
    parts.push_back(fill_in(words.torn, {tick, bytes}));
  } else if (tail.lost_bytes != 0) {
    parts.push_back(fill_in(words.ignored, {bytes}));
  }
  if (tail.abandoned_bytes != 0) {
    parts.push_back(fill_in(words.given_up, {counted(tail.abandoned_bytes, "byte")}));
  }
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

}  // namespace

std::string describe(const session::LogTail& tail) { return describe(tail, kWords); }
std::string describe_for_json(const session::LogTail& tail) { return describe(tail, kJsonWords); }

json::Object& add_tail(const session::LogTail& tail, json::Object& object) {
  return object.add("torn", json::of(!tail.closed || tail.lost_bytes != 0))
      .add("damaged", json::of(tail.damaged))
      .add("reason", tail.reason.empty() ? json::null() : json::of(std::string_view(tail.reason)))
      .add("segments", json::of(tail.segment + 1))
      .add("lost_bytes", json::of(tail.lost_bytes))
      .add("abandoned_bytes", json::of(tail.abandoned_bytes))
      .add("lost_ticks", json::of(tail.lost_ticks));
}

}  // namespace orrery::cli
