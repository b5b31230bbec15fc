// Receives the waiting datagrams of a source.
#pragma once

#include <array>

#include "common/net/environment.h"
#include "common/net/packet/packet.h"

namespace orrery::net {

// Maximum datagrams per call of drain(), so that a flood leaves the caller time for other work.
inline constexpr int kDrainedMax = 256;

// Calls `take(from, datagram)` for each waiting datagram, up to kDrainedMax. The rest waits for the
// next call. A datagram longer than a packet is cut to kPacketBytesMax + 1 bytes, which shows that
// it is too long.
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

}  // namespace orrery::net
