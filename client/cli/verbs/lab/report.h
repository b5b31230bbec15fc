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
std::string number(lab::Real value);
std::string number(const std::optional<lab::Real>& value);
std::string text(std::string_view value);
std::string step_or_null(const std::optional<std::uint64_t>& step);

// Prints a JSON object as one line.
void print(const json::Object& object);

// Returns a number as a double, for printf().
inline double shown(lab::Real value) { return static_cast<double>(value); }

// Returns the exit code of a measurement. If the run blew up (its numbers grew without
// bound), returns 1 and prints that on stderr.
int exit_code(const std::string& method, const std::optional<std::uint64_t>& blew_up_at);

}  // namespace orrery::cli
