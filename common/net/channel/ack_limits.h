// Limits of the acknowledgements that a header carries (acks.h).
#pragma once

#include <cstdint>

namespace orrery::net {

// Number of messages that `ack` and `ack_bits` of a header cover.
inline constexpr std::uint32_t kAckedMax = 33;

// A message is settled, as arrived or lost, when the newest acknowledged sequence is at least this
// much higher than its own.
inline constexpr std::uint32_t kOvertaken = 8;
static_assert(kOvertaken < kAckedMax);

}  // namespace orrery::net
