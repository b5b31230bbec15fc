// Checks that a number lies in a range, and words the error if it does not.
#pragma once

#include <string>

#include "common/core/result.h"
#include "common/math/range.h"

namespace orrery {

// Returns an Error, "KEY must be from RANGE", if the value of a key is outside a range or not a
// number. Returns nothing if it is inside. REQUIRES: `range` is the text of the range: "0 to 1e9".
inline Problem between(const char* key, double value, double least, double most,
                       const char* range) {
  if (within(value, least, most)) return {};
  return Error::at(key, std::string(" must be from ") + range);
}

}  // namespace orrery
