// The name of this build.
#pragma once

#include <string>

namespace orrery::host {

// Returns the name of this build for people and for the header of logs, such as "orrery 0.2.0,
// commit 0123456789ab, g++ 12.2.0, x86-64, RelWithDebInfo -O2 -g1 -O3". It contains everything
// that could change the numbers of a session. Two builds that compute differently therefore have
// different names.
std::string build_name();

}  // namespace orrery::host
