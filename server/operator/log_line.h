// Formats events and their fields as log lines, and hands them to spdlog.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "common/host/text/json.h"
#include "server/operator/log_events.h"

namespace orrery::server {

enum class LogFormat : std::uint8_t {
  text,  // client joined id=3 role=play
  json   // {"event": "client joined", "id": 3, "role": "play"}
};

// A key in snake_case, with its unit, and a value. The value may come from outside: text is
// escaped, and cut after 1,000 bytes, when it is written.
struct LogField {
  LogField(std::string_view name, std::string_view text) : key(name), value(text), is_text(true) {}

  // A number that JSON does not have, such as NaN, becomes text.
  LogField(std::string_view name, double number);

  template <class Number>
  requires(std::is_unsigned_v<Number>) LogField(std::string_view name, Number number)
      : key(name), value(json::of(number).text), is_text(false) {}

  std::string_view key;
  std::string value;
  bool is_text;
};

// Sets the lowest level and the format of all lines that are logged later. The defaults are info
// and text.
void configure_log(LogLevel level, LogFormat format);

LogFormat log_format();

// Returns the name of the event and its fields in the current format. As JSON they are members of
// an object without its braces.
std::string format_event(LogEvent event, const std::vector<LogField>& fields);

// Queues a line for stderr; never waits. If the queue is full, drops its oldest line. Writes
// nothing if the level of the event is not enabled.
void log_event(LogEvent event, const std::vector<LogField>& fields);

}  // namespace orrery::server
