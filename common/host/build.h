// Owns what this build calls itself.
#pragma once

#include <string>

namespace orrery {

// "orrery 0.1.0, commit 0123456789ab, g++ 12.2.0, x86-64, RelWithDebInfo -O2 -g1": for people, and
// for the header of logs. All that the numbers of a session could depend on is in it, so that two
// builds of which one computes otherwise have two names.
std::string build_name();

}  // namespace orrery
