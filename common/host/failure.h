// Owns what a program says when it has not enough of something, and its exit code.
#pragma once

#include <exception>

namespace orrery {

// What helps when memory runs out, for messages that say that it did.
inline constexpr const char* kMoreMemory =
    "raise its limit (ulimit -v), end other programs, or take a smaller scene or log";

// Prints one line to stderr: "PROGRAM: ", what is wrong, and what would help. Returns 2, the exit
// code.
int report_failure(const char* program, const std::exception& error);

// Has an exception that nobody catches, in any thread, end the program in the same way instead of
// by a signal. `program` is a literal.
void report_uncaught_failures(const char* program);

}  // namespace orrery
