// Owns the messages about events and queries: own types, and their bytes both ways.
//
// Decoding is a trust boundary: what comes out is within the limits, or nothing does.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/ids.h"
#include "common/math/vec3.h"
#include "common/world/events.h"

namespace orrery {
namespace message {

// Some of the events of a tick. Speeds and normals were rounded to binary32 on their way.
struct Events {
  Tick tick;
  std::uint64_t first = 0;  // how many events the session had before the first of these
  std::vector<WorldEvent> events;
};

// What is the first thing on the way from origin to origin + along?
struct Query {
  std::uint32_t id = 0;
  Vec3 origin;
  Vec3 along;
};

struct Answer {
  std::uint32_t id = 0;
  Tick tick;         // the state that was asked
  bool hit = false;  // false: nothing is there, and the rest is zero
  BodyId body;
  std::uint32_t part = 0;  // of the body's shape
  double fraction = 0;     // of the way, 0 to 1
  Vec3 normal;             // of the part, world frame; zero: origin is inside
};

}  // namespace message

// Events in a message, so that packet header and message fit into a datagram.
inline constexpr std::size_t kEventsPerMessage = 19;

// Each appends the message to `out`, at a multiple of eight bytes from its start. From 1 to
// kEventsPerMessage events.
void encode_events(Tick tick, std::uint64_t first, std::span<const WorldEvent> events,
                   std::vector<std::uint8_t>& out);
void encode(const message::Query& m, std::vector<std::uint8_t>& out);
void encode(const message::Answer& m, std::vector<std::uint8_t>& out);

// Foreign bytes of at most a datagram, at a multiple of eight in memory; nothing if they are not a
// sound message of the kind. The first replaces `out`, whose memory is kept.
bool decode_events(Bytes bytes, message::Events& out);
std::optional<message::Query> decode_query(Bytes bytes);
std::optional<message::Answer> decode_answer(Bytes bytes);

}  // namespace orrery
