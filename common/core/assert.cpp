// Reports a failed assertion and aborts.
#include "common/core/assert.h"

#include <cstdio>
#include <cstdlib>

namespace orrery {

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "orrery: assertion failed: %s at %s:%d\n", condition, file, line);
  std::abort();
}

}  // namespace orrery
