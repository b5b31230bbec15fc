// Describes a violated invariant.
#pragma once

#include <string>

namespace orrery::fleet {

// The name of the invariant and a description for people.
struct Violation {
  std::string invariant;
  std::string what;
};

}  // namespace orrery::fleet
