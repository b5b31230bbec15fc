// Owns the loop in which everything that has come is received.
#pragma once

#include <array>

#include "common/net/environment.h"
#include "common/net/packet.h"

namespace orrery {

// Hands each datagram that waits to `take(from, datagram)`: those that are too long with a byte
// more than a packet may have.
template <typename Take>
void drain(DatagramSource& source, Take take) {
  alignas(16) std::array<std::uint8_t, kPacketBytesMax + 1> buffer;
  Address from;
  while (const auto size = source.receive(from, buffer)) take(from, Bytes(buffer).first(*size));
}

}  // namespace orrery
