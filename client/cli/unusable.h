// Declares how the tool refuses a command line or an input.
#pragma once

#include <string>

#include "common/core/result.h"

namespace orrery::cli {

// Prints "orrery: " and the message on stderr, in one line. Returns `exit_code`: 2 for wrong usage
// or unusable input, 1 for a check that failed, 0 for a warning.
int unusable(const std::string& message, int exit_code = 2);

// Returns the exit code of a verb that an error ends (client/README.md): 1 if stored bytes are
// damaged, otherwise 2.
inline int exit_code_of(const Error& error) { return error.code == ErrorCode::damaged ? 1 : 2; }

// Prints the error as unusable() does. Returns its exit code.
inline int refuse(const Error& error) { return unusable(error.text(), exit_code_of(error)); }

}  // namespace orrery::cli
