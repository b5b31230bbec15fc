// Owns the loop in which everything that has come is received.
#pragma once

#include <array>

#include "common/net/environment.h"
#include "common/net/packet.h"

namespace orrery {

// At one time, so that a flood does not keep the caller from all else.
inline constexpr int kDrainedMax = 256;

// Hands each datagram that waits to `take(from, datagram)`: those that are too long with a byte
// more than a packet may have. Of more than kDrainedMax the rest waits for the next call.
template <typename Take>
void drain(DatagramSource& source, Take take) {
  alignas(16) std::array<std::uint8_t, kPacketBytesMax + 1> buffer;
  Address from;
  for (int i = 0; i < kDrainedMax; ++i) {
    const auto size = source.receive(from, buffer);
    if (!size) return;
    take(from, Bytes(buffer).first(*size));
  }
}

}  // namespace orrery
