// Encodes the fragments of reliable messages.
//
//   number u16 | varint: 2 x size, plus 1 in the last fragment of a message | bytes
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/limits.h"

namespace orrery::net {

// A datagram has room for one full fragment. The message that carries fragments begins with two
// varints of at most 5 and 3 bytes (codec::CommandReport). The number and the size of a fragment
// take 2 bytes each.
inline constexpr std::size_t kFragmentHeadBytesMax = 4;
inline constexpr std::size_t kFragmentBytesMax =
    limits::kMessageBytesMax - kFragmentHeadBytesMax - 8;
static_assert(2 * kFragmentBytesMax + 1 < 1 << 14);

// A part of a reliable message.
struct Fragment {
  std::uint16_t number = 0;  // 0, 1, ... in each direction, modulo 2^16
  bool last = false;         // true for the last fragment of a message
  Bytes bytes;               // 1 to kFragmentBytesMax bytes of the message
};

// Appends a fragment. REQUIRES: 1 to kFragmentBytesMax bytes.
inline void encode_fragment(const Fragment& fragment, std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(!fragment.bytes.empty() && fragment.bytes.size() <= kFragmentBytesMax);
  ByteWriter writer(out);
  writer.u16(fragment.number);
  writer.varint(2 * fragment.bytes.size() + (fragment.last ? 1 : 0));
  writer.bytes(fragment.bytes);
}

// Reads one untrusted fragment. Returns nothing if it is cut off, empty or too long.
inline std::optional<Fragment> decode_fragment(ByteReader& in) {
  Fragment fragment;
  fragment.number = in.u16();
  const std::uint64_t size = in.varint();
  if (!in.ok() || size < 2 || size / 2 > kFragmentBytesMax) return std::nullopt;
  fragment.last = (size & 1) != 0;
  fragment.bytes = in.bytes(static_cast<std::size_t>(size / 2));
  if (!in.ok()) return std::nullopt;
  return fragment;
}

}  // namespace orrery::net
