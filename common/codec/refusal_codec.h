// Messages about refused commands: their type, and their bytes in both directions.
//
//   type u8 (ReliableType::refusals) | first varint | refusals to the end of the message
//   refusal: tick varint | sequence varint | reason u8
//
// Decoding is a trust boundary.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/ids.h"
#include "common/world/verdict.h"

namespace orrery::codec {
namespace message {

// A command of a client that was refused.
struct Refusal {
  Tick tick;  // in which the command would have been applied
  Sequence sequence;
  Verdict reason = Verdict::malformed;  // a refusal

  friend bool operator==(const Refusal&, const Refusal&) = default;
};

// Refused commands of one client.
struct Refusals {
  std::uint64_t first = 0;  // number of refusals of the connection before these
  std::vector<Refusal> refusals;
};

}  // namespace message

// Maximum number of refusals in a message. A full message is one fragment.
inline constexpr std::size_t kRefusalsPerMessage = 64;

// Appends a message. REQUIRES: 1 to kRefusalsPerMessage refusals, with reasons that are refusals.
void encode_refusals(std::uint64_t first, std::span<const message::Refusal> refusals,
                     std::vector<std::uint8_t>& out);

// Decodes a message from untrusted bytes. Returns nothing if they are not such a message.
std::optional<message::Refusals> decode_refusals(Bytes bytes);

}  // namespace orrery::codec
