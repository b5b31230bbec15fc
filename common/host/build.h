// Owns what this build calls itself.
#pragma once

#include <string>

namespace orrery {

// "orrery 0.1.0, g++ 12.2.0": for people, and for the header of logs.
inline std::string build_name() {
#ifdef __clang__
  const std::string compiler = "clang++ ";
#else
  const std::string compiler = "g++ ";
#endif
  const std::string version = __VERSION__;
  return std::string("orrery ") + ORRERY_VERSION + ", " + compiler +
         version.substr(0, version.find(' '));
}

}  // namespace orrery
