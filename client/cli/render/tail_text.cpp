// Owns the wording.
#include "client/cli/render/tail_text.h"

#include <string_view>

#include "client/cli/render/counted.h"
#include "common/core/printable.h"

namespace orrery::cli {

std::string describe(const session::LogTail& tail) {
  const std::string place = " behind tick " + std::to_string(tail.tick.value) + ": ";
  const std::string unread = counted(tail.lost_bytes, "byte") + " do not count";
  if (tail.unreadable) return "unreadable" + place + tail.unreadable->message;
  std::string text;
  if (tail.lost_ticks != 0) text = counted(tail.lost_ticks, "tick") + " are missing; ";
  if (tail.damaged) {
    text += "damaged" + place;
    if (!tail.reason.empty()) text += printable(tail.reason) + "; ";
    text += tail.reason.empty() ? unread + ", valid records among them; " : unread + "; ";
  } else if (!tail.closed) {
    text += "torn" + place + "the session was not closed; " + unread + "; ";
  } else if (tail.lost_bytes != 0) {
    text += unread + "; ";
  }
  if (tail.abandoned_bytes != 0) {
    text += counted(tail.abandoned_bytes, "byte") +
            " where the disk failed do not count, as the next segment goes on before them; ";
  }
  return text.empty() ? text : text.substr(0, text.size() - 2);
}

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
