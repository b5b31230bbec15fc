// The name of this build.
#pragma once

#include <string>

namespace orrery::host {

// Returns the name of this build for people and for the header of logs, such as "orrery 0.2.0,
// commit 0123456789ab, g++ 12.2.0, x86-64, RelWithDebInfo -O2 -g1 -O3". These parts can change
// the numbers of a session. If the checkout has local changes, "-changed" follows its commit.
std::string build_name();

// Returns the answer of a program to --version, such as "orrery 0.2.0 (commit 0123456789ab, rules
// 10)". Programs of one commit compute the same sessions.
std::string version_text(const std::string& program);

}  // namespace orrery::host
