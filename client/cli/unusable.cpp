// Implements how the tool refuses a command line or an input.
#include "client/cli/unusable.h"

#include <cstdio>

namespace orrery::cli {

int unusable(const std::string& message, int exit_code) {
  std::fprintf(stderr, "orrery: %s\n", message.c_str());
  return exit_code;
}

}  // namespace orrery::cli
