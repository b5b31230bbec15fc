// Messages about events and queries: their types, and their bytes in both directions.
//
// Decoding is a trust boundary: vectors and speeds of a decoded message are finite, and part
// indices are in range.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/ids.h"
#include "common/math/vec3.h"
#include "common/world/events.h"

namespace orrery::codec {
namespace message {

// The events of a tick, or some of them if one message has no room for all. Speeds and normals were
// rounded to binary32 for the wire.
struct Events {
  Tick tick;
  std::uint64_t first = 0;  // number of events before these, since the server started
  std::vector<WorldEvent> events;
};

// A ray query: which part is hit first on the way from origin to origin + along?
struct Query {
  std::uint32_t id = 0;
  Vec3 origin;
  Vec3 along;
};

// The answer to a Query.
struct Answer {
  std::uint32_t id = 0;
  Tick tick;         // tick of the state in which the ray was cast
  bool hit = false;  // false: the ray hit nothing, and the fields below are zero
  BodyId body;
  std::uint32_t part = 0;  // index of the part in the shape of the body
  double fraction = 0;     // distance of the hit as a fraction of `along`, 0 to 1
  Vec3 normal;             // surface normal of the part, world frame; zero if the origin is inside
};

}  // namespace message

// Maximum number of events in a message. A full message and its packet header fit into a datagram.
inline constexpr std::size_t kEventsPerMessage = 19;

// Append a message to `out`. encode_events() begins it with eight bytes: ReliableType::events and
// seven zeros, which keep the table aligned. REQUIRES: out.size() is a multiple of 8;
// encode_events() gets 1 to kEventsPerMessage events.
void encode_events(Tick tick, std::uint64_t first, std::span<const WorldEvent> events,
                   std::vector<std::uint8_t>& out);
void encode(const message::Query& m, std::vector<std::uint8_t>& out);
void encode(const message::Answer& m, std::vector<std::uint8_t>& out);

// Decode a message from untrusted bytes. Return nothing, or false, if the bytes are not a valid
// message of this kind. decode_events() replaces `out` and reuses its memory; if it returns false,
// `out` is meaningless. REQUIRES: bytes.data() is aligned to 8.
bool decode_events(Bytes bytes, message::Events& out);
std::optional<message::Query> decode_query(Bytes bytes);
std::optional<message::Answer> decode_answer(Bytes bytes);

}  // namespace orrery::codec
