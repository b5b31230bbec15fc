// Owns the messages between a server and a client that follows it: log records without their frame.
//
//   server to client:  type u8 | payload of a header, tick or checkpoint record (log_records.h)
//   client to server:  tick varint | the hash of the server u64 | that of the client u64
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/codec/log_codec.h"
#include "common/session/log_format.h"
#include "common/session/log_records.h"
#include "common/world/world.h"

namespace orrery {

// A tick in which a client came to another state than its server.
struct Mismatch {
  Tick tick;
  std::uint64_t theirs = 0;  // of the server
  std::uint64_t ours = 0;    // of the client
};

// The message of the header of a session: its scene whole, and nothing of segments.
std::vector<std::uint8_t> follow_header(const LogHeader& header, const Scene& scene);
// That of the state of the world, as a checkpoint.
std::vector<std::uint8_t> follow_image(const World& world);
// Replaces `out` by that of the tick that step() has just made.
void follow_tick(const World& world, std::vector<std::uint8_t>& out);

std::vector<std::uint8_t> encode_mismatch(const Mismatch& mismatch);
// Foreign bytes; nothing if they are not a mismatch.
std::optional<Mismatch> decode_mismatch(Bytes bytes);

}  // namespace orrery
