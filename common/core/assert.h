// Owns ORRERY_ASSERT: checks of what a programmer can get wrong, on in every build.
//
// Errors of the outside world (packets, files, flags) are never asserted: they are returned as
// Result (core/result.h).
#pragma once

namespace orrery {

// Prints the failed condition with its place to stderr and aborts.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace orrery

#define ORRERY_ASSERT(condition)      \
  (__builtin_expect(!!(condition), 1) \
       ? static_cast<void>(0)         \
       : ::orrery::assertion_failed(#condition, __FILE__, __LINE__))
