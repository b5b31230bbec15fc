// Owns the client's side of a connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/codec/message_codec.h"
#include "common/net/acks.h"
#include "common/net/environment.h"
#include "common/net/packet.h"

namespace orrery {

enum class ClientState : std::uint8_t { requesting, responding, connected, ended };

enum class EndReason : std::uint8_t {
  none,
  asked,           // by this client
  no_answer,       // nobody is there
  timed_out,       // the server fell silent
  full,            // denied
  other_protocol,  // denied
  other_schema,    // denied
  server_stopped,
  dropped,  // the server heard nothing from this client for too long
  flooded,  // this client sent too much
};

// For a person, as the end of "the server ...".
std::string_view describe(EndReason reason);

// What a server says to a client that is connected.
struct ServerMessage {
  PacketType type = PacketType::snapshot;  // or events, or answer
  Bytes message;                           // part of the datagram
};

class ClientEndpoint {
 public:
  // Asks for a connection, and to be told of events or not. The environment outlives the endpoint.
  ClientEndpoint(NetEnvironment& environment, const Address& server, Nanoseconds now,
                 bool events = false);

  // What the datagram says, if it is of this connection and has not come before.
  std::optional<ServerMessage> receive(const Address& from, Bytes datagram, Nanoseconds now);

  // Says again what was not answered, that the client is there, or ends the connection.
  void update(Nanoseconds now);

  // Once connected.
  void send_input(Bytes message, Nanoseconds now);
  void send_query(Bytes message, Nanoseconds now);
  void disconnect(Nanoseconds now);

  ClientState state() const { return state_; }
  EndReason end_reason() const { return end_reason_; }
  // What the server said of itself. Once connected.
  const message::Accept& accept() const { return accept_; }

 private:
  void on_challenge(Bytes message, Nanoseconds now);
  void on_accept(const Packet& packet, Nanoseconds now);
  void on_deny(Bytes message);
  std::optional<ServerMessage> on_connection_packet(const Packet& packet, Nanoseconds now);
  void end(EndReason reason);

  void ask(Nanoseconds now);
  void send(PacketType type, Bytes message, Nanoseconds now);

  NetEnvironment& environment_;
  const Address server_;
  const std::uint64_t nonce_;
  const bool events_;
  ClientState state_ = ClientState::requesting;
  EndReason end_reason_ = EndReason::none;
  message::Cookie cookie_;
  message::Accept accept_;
  std::uint64_t connection_ = 0;
  Acks acks_;
  Nanoseconds last_received_;  // or when this began
  Nanoseconds challenged_at_ = 0;
  Nanoseconds last_sent_ = 0;
  std::vector<std::uint8_t> datagram_;
};

}  // namespace orrery
