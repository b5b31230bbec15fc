// Encodes and decodes the messages between a server and its followers: clients that step the world
// themselves. The server sends log records without length and checksum. A client reports a tick in
// which its state differs.
//
//   server to client:  type u8 | payload of a header, tick or checkpoint record (log_records.h)
//   client to server:  tick varint | hash of the server u64 | hash of the client u64
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/codec/log_codec.h"
#include "common/core/result.h"
#include "common/session/log_format.h"
#include "common/session/log_records.h"
#include "common/world/world.h"

namespace orrery::session {

// A tick in which the states of a client and its server differ.
struct Mismatch {
  Tick tick;
  std::uint64_t theirs = 0;  // hash of the server
  std::uint64_t ours = 0;    // hash of the client
};

// Returns the header message of a session. It contains the whole scene, and nothing about segments
// of the log.
std::vector<std::uint8_t> follow_header(const codec::LogHeader& header, const Scene& scene);
// Decodes the scene of a header message from untrusted bytes. An Error is the rest of a sentence
// that begins with "the server ".
Result<Scene> decode_scene_message(Bytes message);
// Returns the state of the world as a checkpoint message.
std::vector<std::uint8_t> follow_image(const World& world);
// Replaces `out` by the message of a tick. `record` is the payload of its log record
// (SessionLog::last_tick()).
void follow_tick(Bytes record, std::vector<std::uint8_t>& out);

// Returns the message of a mismatch. REQUIRES: its two hashes differ.
std::vector<std::uint8_t> encode_mismatch(const Mismatch& mismatch);
// Decodes untrusted bytes. Returns nothing if they do not encode a mismatch.
std::optional<Mismatch> decode_mismatch(Bytes bytes);

}  // namespace orrery::session
