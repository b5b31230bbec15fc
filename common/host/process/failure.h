// Reports an error that ends a program, such as a lack of memory, and gives the exit code.
#pragma once

#include <exception>

namespace orrery::host {

// Advice for messages that say that memory has run out.
inline constexpr const char* kOutOfMemoryAdvice =
    "raise its limit (ulimit -v), end other programs, or take a smaller scene or log";

// Prints one line to stderr: "PROGRAM: ", the error and advice, if there is any. Returns
// the exit code, 2.
int report_failure(const char* program, const std::exception& error);

// Makes an uncaught std::exception in any thread end the program with the line and exit code of
// report_failure(), not with a signal. REQUIRES: `program` is a string literal, which stays valid.
void report_uncaught_failures(const char* program);

}  // namespace orrery::host
