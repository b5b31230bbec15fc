// Owns the messages of the wire other than snapshots: own types, and their bytes both ways.
//
// Decoding is a trust boundary: what comes out is within the limits, or nothing does.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/ids.h"
#include "common/world/command.h"

namespace orrery {

// Raised when the exchange of messages changes its meaning.
inline constexpr std::uint32_t kProtocolVersion = 6;

// Names the bytes of schema/types.fbs and schema/protocol.fbs: both sides must have the same.
std::uint64_t protocol_schema_hash();

namespace message {

// What a client is sent: snapshots; or the world once and then the commands of each tick; or, which
// no server has yet, snapshots as differences.
enum class Mode : std::uint8_t { plain, follow, delta };

struct Hello {
  std::uint32_t protocol = 0;
  std::uint64_t schema = 0;
  bool events = false;
  Mode mode = Mode::plain;
};

struct Welcome {
  ClientId client;
  Role role = Role::watch;
  std::uint32_t tick_rate = 0;
  double tick_time = 0;
  std::uint32_t scene_bodies = 0;
  std::string scene;
};

enum class DisconnectReason : std::uint8_t {
  asked,
  server_stopped,
  timed_out,
  flooded,
  other_protocol,
  other_schema,
  other_mode,  // that this server does not have, or not for this world
  too_slow,    // a follower that is too far behind
  unsound,     // reliable messages that mean nothing
};

struct Goodbye {
  DisconnectReason reason = DisconnectReason::asked;
};

// A command and the tick that it is meant for; tick 0, or one that is past: the next.
struct TimedCommand {
  Tick tick;
  Command command;
};

}  // namespace message

// Each appends the message to `out`, at a multiple of eight bytes from its start.
void encode(const message::Hello& m, std::vector<std::uint8_t>& out);
void encode(const message::Welcome& m, std::vector<std::uint8_t>& out);
void encode(const message::Goodbye& m, std::vector<std::uint8_t>& out);

// Appends an input message with as many of the commands as fit into a datagram, from the front, and
// returns how many: at least one.
std::size_t encode_input(std::span<const message::TimedCommand> commands,
                         std::vector<std::uint8_t>& out);

// Foreign bytes of at most a datagram, at a multiple of eight in memory; nothing if they are not a
// sound message of the kind.
std::optional<message::Hello> decode_hello(Bytes bytes);
std::optional<message::Welcome> decode_welcome(Bytes bytes);
std::optional<message::Goodbye> decode_goodbye(Bytes bytes);

// Replaces `out` by the commands: all from `sender`, in ascending sequence without gaps, at most
// limits::kCommandsQueuedMax. False, and `out` empty, if the bytes are not such a message.
bool decode_input(Bytes bytes, ClientId sender, std::vector<message::TimedCommand>& out);

}  // namespace orrery
