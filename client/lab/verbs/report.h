// Declares how the verbs of `orrery lab` print measurements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "client/cli/json.h"
#include "client/lab/problem.h"

namespace orrery::cli {

// Return the value as JSON. An empty optional becomes null.
inline json::Text number(lab::Real value) { return json::of(static_cast<double>(value)); }
inline json::Text number(const std::optional<lab::Real>& value) {
  return value ? number(*value) : json::null();
}

// Returns a number as a double, for printf().
inline double shown(lab::Real value) { return static_cast<double>(value); }

// Returns the exit code of a measurement. If the run blew up (its numbers grew without
// bound), returns 1 and prints that on stderr.
int exit_code(const std::string& method, const std::optional<std::uint64_t>& blew_up_at);

}  // namespace orrery::cli
