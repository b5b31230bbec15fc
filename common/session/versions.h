// Owns the version numbers that logs carry.
#pragma once

#include <cstdint>

namespace orrery {

// Raised by every commit that changes the golden hash of a state of an existing scene: a log
// replays bit for bit in builds of its own rules.
inline constexpr std::uint32_t kRulesVersion = 5;

// The layout of session logs (schema/README.md).
inline constexpr std::uint32_t kLogFormatVersion = 4;

}  // namespace orrery
