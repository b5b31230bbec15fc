// Describes a divergence as text and as JSON.
#pragma once

#include <string>

#include "client/cli/json.h"
#include "common/session/explain/explanation.h"

namespace orrery::cli {

// Adds the fields of a divergence to `object`, for --json of `orrery diff` and `orrery verify`. The
// tick is null if the scenes differ.
void add_divergence(const session::Explanation& explained, json::Object& object);

// Prints a divergence as indented lines, which call the two sessions a and b. For `orrery verify`,
// a is the recorded session and b its replay.
void print_divergence(const session::Explanation& explained);

// Returns the bits of a number, such as "0x3fb999999999999a".
std::string hex(double value);

}  // namespace orrery::cli
