// Checks for programming errors, on in every build.
//
// Never assert input from outside the program, such as packets, files and options. Return such
// errors as a Result (core/result.h).
#pragma once

namespace orrery {

// Prints the failed condition with its place to stderr and aborts.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace orrery

// Aborts with a message if the condition is false. Evaluates the condition exactly once, in release
// builds too.
#define ORRERY_ASSERT(condition)      \
  (__builtin_expect(!!(condition), 1) \
       ? static_cast<void>(0)         \
       : ::orrery::assertion_failed(#condition, __FILE__, __LINE__))
