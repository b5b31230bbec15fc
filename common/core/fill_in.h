// Fills in the placeholders of a sentence.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "common/core/assert.h"

namespace orrery {

// Returns `sentence` with its placeholders {} replaced by the values, in order: fill_in("body {}",
// {"3"}) is "body 3". REQUIRES: as many values as placeholders.
inline std::string fill_in(std::string_view sentence,
                           std::initializer_list<std::string_view> values) {
  std::string out;
  for (const std::string_view value : values) {
    const std::size_t at = sentence.find("{}");
    ORRERY_ASSERT(at != std::string_view::npos);
    out.append(sentence.substr(0, at)).append(value);
    sentence.remove_prefix(at + 2);
  }
  return out.append(sentence);
}

}  // namespace orrery
