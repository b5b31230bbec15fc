// Declares how the tool refuses a command line or an input.
#pragma once

#include <string>

namespace orrery::cli {

// Prints "orrery: " and the message on stderr, in one line. Returns `exit_code`: 2 for wrong usage
// or unusable input, 1 for a check that failed, 0 for a warning.
int unusable(const std::string& message, int exit_code = 2);

}  // namespace orrery::cli
