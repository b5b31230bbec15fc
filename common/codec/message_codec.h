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
inline constexpr std::uint32_t kProtocolVersion = 1;

// Names the bytes of schema/types.fbs and schema/protocol.fbs: both sides must have the same.
std::uint64_t protocol_schema_hash();

namespace message {

struct Cookie {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend bool operator==(const Cookie&, const Cookie&) = default;
};

struct ConnectRequest {
  std::uint32_t protocol = 0;
  std::uint64_t schema = 0;
  std::uint64_t nonce = 0;
};

struct Challenge {
  std::uint64_t nonce = 0;
  Cookie cookie;
};

struct Response {
  std::uint64_t nonce = 0;
  Cookie cookie;
  bool events = false;
};

struct Accept {
  std::uint64_t nonce = 0;
  ClientId client;
  std::uint32_t tick_rate = 0;
  double tick_time = 0;
  std::uint32_t scene_bodies = 0;
  std::string scene;
};

enum class DenyReason : std::uint8_t { full, protocol, schema };

struct Deny {
  std::uint64_t nonce = 0;
  DenyReason reason = DenyReason::full;
};

enum class DisconnectReason : std::uint8_t { asked, server_stopped, timed_out, flooded };

struct Disconnect {
  DisconnectReason reason = DisconnectReason::asked;
};

// A command and the tick that it is meant for; tick 0, or one that is past: the next.
struct TimedCommand {
  Tick tick;
  Command command;
};

}  // namespace message

// Each appends the message to `out`, at a multiple of eight bytes from its start.
void encode(const message::ConnectRequest& m, std::vector<std::uint8_t>& out);
void encode(const message::Challenge& m, std::vector<std::uint8_t>& out);
void encode(const message::Response& m, std::vector<std::uint8_t>& out);
void encode(const message::Accept& m, std::vector<std::uint8_t>& out);
void encode(const message::Deny& m, std::vector<std::uint8_t>& out);
void encode(const message::Disconnect& m, std::vector<std::uint8_t>& out);

// Appends an input message with as many of the commands as fit into a datagram, from the front, and
// returns how many: at least one.
std::size_t encode_input(std::span<const message::TimedCommand> commands,
                         std::vector<std::uint8_t>& out);

// Foreign bytes of at most a datagram, at a multiple of eight in memory; nothing if they are not a
// sound message of the kind.
std::optional<message::ConnectRequest> decode_connect_request(Bytes bytes);
std::optional<message::Challenge> decode_challenge(Bytes bytes);
std::optional<message::Response> decode_response(Bytes bytes);
std::optional<message::Accept> decode_accept(Bytes bytes);
std::optional<message::Deny> decode_deny(Bytes bytes);
std::optional<message::Disconnect> decode_disconnect(Bytes bytes);

// Replaces `out` by the commands: all from `sender`, in ascending sequence without gaps, at most
// limits::kCommandsQueuedMax. False, and `out` empty, if the bytes are not such a message.
bool decode_input(Bytes bytes, ClientId sender, std::vector<message::TimedCommand>& out);

}  // namespace orrery
