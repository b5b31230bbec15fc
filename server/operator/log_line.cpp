// Formats events and their fields as log lines, and hands them to spdlog.
#include "server/operator/log_line.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "common/core/printable.h"

namespace orrery::server {
namespace {

constexpr std::size_t kTextBytesMax = 1000;  // longest value of a field

// Atomic, as all threads that log and the thread that writes to stderr read it.
std::atomic<LogFormat> current_format{LogFormat::text};

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warn:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

std::string shortened(std::string_view text) {
  if (text.size() <= kTextBytesMax) return std::string(text);
  return std::string(text.substr(0, kTextBytesMax)) + "...";
}

// Returns the text as it is if it is one word of printable ASCII without quotes, backslash and '='.
// Otherwise quotes it, and escapes double quotes, backslashes and bytes outside printable ASCII.
std::string quoted_if_needed(const std::string& text) {
  const auto is_plain = [](char c) {
    constexpr std::string_view kSpecial = "\"'\\=";
    return c > 0x20 && c < 0x7f && kSpecial.find(c) == kSpecial.npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += printable({&c, 1});
  }
  return out + '"';
}

}  // namespace

LogField::LogField(std::string_view name, double number)
    : key(name),
      value(std::isfinite(number) ? json::of(number).text : fmt::format("{}", number)),
      is_text(!std::isfinite(number)) {}

void configure_log(LogLevel level, LogFormat format) {
  spdlog::set_level(spdlog_level(level));
  current_format = format;
}

LogFormat log_format() { return current_format; }

std::string format_event(LogEvent event, const std::vector<LogField>& fields) {
  const std::string_view name = info_of(event).name;
  const bool is_json = log_format() == LogFormat::json;
  std::string line = is_json ? "\"event\": " + json::of(name).text : std::string(name);
  for (const LogField& field : fields) {
    std::string value = field.is_text ? shortened(field.value) : field.value;
    if (is_json) {
      if (field.is_text) value = json::of(value).text;
      line += ", " + json::of(field.key).text + ": " + value;
    } else {
      if (field.is_text) value = quoted_if_needed(value);
      line += ' ' + std::string(field.key) + '=' + value;
    }
  }
  return line;
}

void log_event(LogEvent event, const std::vector<LogField>& fields) {
  const auto level = spdlog_level(info_of(event).level);
  if (!spdlog::should_log(level)) return;
  spdlog::log(level, "{}", format_event(event, fields));
}

}  // namespace orrery::server
