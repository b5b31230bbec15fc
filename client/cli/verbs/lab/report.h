// Declares how the verbs of `orrery lab` print measurements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "client/cli/json.h"
#include "client/lab/problem.h"

namespace orrery::cli {

// Return JSON: a number, a number or null, a string, a whole number or null.
std::string number(lab::Real value);
std::string number(const std::optional<lab::Real>& value);
std::string text(std::string_view value);
std::string step_or_null(const std::optional<std::uint64_t>& step);

// Prints a JSON object as one line.
void print(const json::Object& object);

// Returns a number in the precision that printf() takes.
inline double shown(lab::Real value) { return static_cast<double>(value); }

// Returns the exit code of a measurement. If the run blew up, it is 1, and stderr says so: the
// measurement is complete, but no success.
int exit_code(const std::string& method, const std::optional<std::uint64_t>& blew_up_at);

}  // namespace orrery::cli
