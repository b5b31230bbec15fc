// The messages of the wire other than snapshots, events and queries: their types, and their bytes
// in both directions.
//
// Decoding is a trust boundary: every decoded message is within the limits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/codec/delta/delta_scene.h"
#include "common/codec/end_reason.h"
#include "common/core/bytes.h"
#include "common/core/ids.h"
#include "common/core/versions.h"
#include "common/world/command.h"

namespace orrery::codec {

// Returns a hash of schema/types.fbs and schema/protocol.fbs. Client and server must have equal
// hashes.
std::uint64_t protocol_schema_hash();

namespace message {

// The data that the server sends to a client:
// - plain: snapshots of bodies.
// - follow: the world once, then the commands of each tick, so that the client can step the world
//   itself.
// - delta: snapshots as differences to snapshots that the client has.
enum class Mode : std::uint8_t { plain, follow, delta };

// A request to join, from the client.
struct Hello {
  std::uint32_t protocol = 0;  // kProtocolVersion of the client
  std::uint64_t schema = 0;    // protocol_schema_hash() of the client
  // If true, the client asks for events in addition to snapshots. Mode follow ignores it.
  bool events = false;
  Mode mode = Mode::plain;
};

// The answer to Hello, from the server: the client has joined.
struct Welcome {
  ClientId client;                 // the client's id in commands
  Role role = Role::watch;         // the rights that its token gives it
  std::uint32_t tick_rate = 0;     // ticks per second of real time
  double tick_time = 0;            // simulated time of a tick, in the time unit of the scene
  std::uint32_t scene_bodies = 0;  // number of bodies in the scene; a Spawn can copy these
  std::string scene;               // name of the scene
  std::uint32_t scene_bytes = 0;   // size of the scene message of modes plain and delta; 0: none
  std::uint64_t epoch = 0;         // random for each start of the server process
  std::uint64_t account = 0;       // account of its token; 0: tokens of this server name none
  // The client receives only bodies within this distance of its own; 0: all bodies of the world.
  double interest_radius = 0;
  DeltaScene frames{};  // of the frames of mode delta
};

// The notice that the server ends the connection, with a reason of ORRERY_GOODBYE_REASONS.
struct Goodbye {
  EndReason reason = EndReason::asked;
  command::Reason text{};  // by an admin or the rules, for people
};

// A command and the tick for which it is meant. Tick 0, or a tick in the past, means the next tick.
struct TimedCommand {
  Tick tick;
  Command command;
  bool malformed = false;  // a number was out of range: the payload means nothing
};

}  // namespace message

// Append a message to `out`. REQUIRES: out.size() is a multiple of 8.
void encode(const message::Hello& m, std::vector<std::uint8_t>& out);
void encode(const message::Welcome& m, std::vector<std::uint8_t>& out);
void encode(const message::Goodbye& m, std::vector<std::uint8_t>& out);

// Appends an input message with the first commands of the list: as many as fit into a datagram, but
// at most limits::kCommandsQueuedMax. Returns the number of commands in the message, at least one.
// REQUIRES: there is a command, all are in range, and out.size() is a multiple of 8.
std::size_t encode_input(std::span<const message::TimedCommand> commands,
                         std::vector<std::uint8_t>& out);

// Decode a message from untrusted bytes. Return nothing if the bytes are not a valid message of
// this kind. REQUIRES: bytes.data() is aligned to 8.
std::optional<message::Hello> decode_hello(Bytes bytes);
std::optional<message::Welcome> decode_welcome(Bytes bytes);
std::optional<message::Goodbye> decode_goodbye(Bytes bytes);

// Decodes an input message and replaces `out` by its commands. All commands are from `sender`, with
// ascending sequence numbers without gaps, and there are at most limits::kCommandsQueuedMax. A
// command with a number out of range is marked as malformed, and the commands after it are read all
// the same. Returns false and leaves `out` empty if the bytes are not such a message. REQUIRES:
// bytes.data() is aligned to 8.
bool decode_input(Bytes bytes, ClientId sender, std::vector<message::TimedCommand>& out);

}  // namespace orrery::codec
