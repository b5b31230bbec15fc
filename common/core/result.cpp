// Words an error: its place and its message.
#include "common/core/result.h"

#include <iterator>

#include "common/core/printable.h"

namespace orrery {

std::string_view name_of(ErrorCode code) {
  constexpr std::string_view kNames[] = {"invalid", "syntax",  "io",
                                         "damaged", "version", "incomplete"};
  static_assert(std::size(kNames) == kErrorCodes);
  const auto index = static_cast<std::size_t>(code);
  ORRERY_ASSERT(index < kErrorCodes);
  return kNames[index];
}

Error Error::at(const std::string& key, std::string_view rest) {
  ORRERY_ASSERT(!key.empty());
  return {std::string(key).append(rest), ErrorCode::invalid, {.key = key}};
}

Problem problem_at(const char* key, const char* rest) { return Error::at(key, rest); }

Error Error::in_item(const std::string& item, std::size_t index) const {
  ORRERY_ASSERT(!item.empty());
  const std::string number = std::to_string(index);
  Error error = *this;
  error.message = item + ' ' + number + ": " + message;
  error.place.key = item + '[' + number + ']' + (place.key.empty() ? "" : '.' + place.key);
  return error;
}

Error Error::in(std::string source) const {
  Error error = *this;
  if (place.source.empty()) error.place.source = std::move(source);
  return error;
}

Error Error::of_option(const std::string& option, std::string_view between) const {
  ORRERY_ASSERT(option.starts_with('-'));
  return {std::string(option).append(between) + text(), code, {.key = option}};
}

Error Error::after(const std::string& prefix) const { return {prefix + text(), code, {}}; }

std::string Error::text() const {
  const bool known = place.line != 0;
  const std::string line = std::to_string(place.line);
  const std::string column = std::to_string(place.column);
  if (!place.source.empty()) {
    return printable(place.source) + (known ? ':' + line : "") +
           (known && place.column != 0 ? ':' + column : "") + ": " + message;
  }
  if (!known) return message;
  return "line " + line + (place.column != 0 ? ", column " + column : "") + ": " + message;
}

}  // namespace orrery
