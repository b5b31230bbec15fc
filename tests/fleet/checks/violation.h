// Owns what is said of an invariant that does not hold.
#pragma once

#include <string>

namespace orrery::fleet {

struct Violation {
  std::string invariant;
  std::string what;
};

}  // namespace orrery::fleet
