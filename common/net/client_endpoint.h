// Owns the client's side of a connection.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "common/codec/message_codec.h"
#include "common/core/limits.h"
#include "common/net/acks.h"
#include "common/net/connect_token.h"
#include "common/net/environment.h"
#include "common/net/packet.h"
#include "common/net/path.h"
#include "common/net/payload.h"
#include "common/net/reliable_channel.h"
#include "common/net/replay_window.h"

namespace orrery {

enum class ClientState : std::uint8_t {
  requesting,  // until a challenge comes
  responding,  // until the server has a slot
  greeting,    // until this client is welcome
  connected,
  ended,
};

enum class EndReason : std::uint8_t {
  none,
  asked,           // by this client
  no_answer,       // nobody is there who takes the token
  timed_out,       // the server fell silent
  full,            // denied
  token_expired,   // before anybody answered
  other_protocol,  // of the messages
  other_schema,
  server_stopped,
  dropped,  // the server heard nothing from this client for too long
  flooded,  // this client sent too much
  other_mode,
  too_slow,        // this client, to follow
  unsound_client,  // this client sent reliable messages that mean nothing
  unsound_server,  // or the server did
};

// For a person, as the end of "the server ...".
std::string_view describe(EndReason reason);

// What a server says to a client that is connected.
struct ServerMessage {
  MessageType type = MessageType::snapshot;  // or answer, reliable
  Bytes message;                             // until the next datagram; of reliable: none
};

class ClientEndpoint {
 public:
  // Asks for a connection, at each of the token's servers until one answers. In mode follow
  // reliable messages come in place of snapshots; in mode plain beside them, of events, if it asks
  // for those. The environment outlives the endpoint.
  ClientEndpoint(NetEnvironment& environment, const ConnectToken& token, Nanoseconds now,
                 bool events = false, message::Mode mode = message::Mode::plain);

  // What the datagram says, if it is of this connection and has not come before.
  std::optional<ServerMessage> receive(const Address& from, Bytes datagram, Nanoseconds now);

  // Says again what was not answered, that the client is there, or ends the connection.
  void update(Nanoseconds now);

  // Once connected.
  void send_input(Bytes message, Nanoseconds now);
  void send_query(Bytes message, Nanoseconds now);

  // --- reliable messages, in mode follow or of events ---

  // After a server message of type reliable: the next message, until the next call; nothing if no
  // more is whole.
  std::optional<Bytes> next_message();
  // The server has the commands up to here, as such messages say. Plain snapshots say it too.
  Sequence commands_received() const { return commands_received_; }
  // In mode follow: the next message may be given; and gives it, of at most kBytesToServerMax:
  // update() sends it.
  bool takes_message() const { return channel_->sender.ready(); }
  void give_message(SharedBytes message);
  // The server has all that were given.
  bool messages_arrived() const { return channel_->sender.idle(); }

  void disconnect(Nanoseconds now);

  ClientState state() const { return state_; }
  EndReason end_reason() const { return end_reason_; }
  // Where this client sends to.
  const Address& server() const { return token_.servers.span()[server_]; }
  // What the server said of itself. Once connected.
  const message::Welcome& welcome() const { return welcome_; }
  // What is known of the way to the server and back.
  const Path& path() const { return path_; }

 private:
  void on_challenge(Bytes text, Nanoseconds now);
  void on_keep_alive(Nanoseconds now);
  std::optional<ServerMessage> on_payload(Bytes text, Nanoseconds now);
  std::optional<ServerMessage> on_reliable(Bytes message, Nanoseconds now);
  void end(EndReason reason);
  void next_server(EndReason reason, Nanoseconds now);

  // Says what the state has to say until it is answered.
  void speak(Nanoseconds now);
  void send_message(MessageType type, Bytes message, Nanoseconds now);
  void send_packet(PacketType type, Bytes text, Nanoseconds now);
  // Says what is due of reliable messages, and what has come of theirs, even if nothing is due.
  bool send_reliable(bool even_if_none, Nanoseconds now);

  NetEnvironment& environment_;
  const ConnectToken token_;
  const PacketSealer sealer_;
  const Nanoseconds timeout_;        // 0: none
  const Nanoseconds connect_until_;  // then the token has expired
  const bool events_;
  const message::Mode mode_;
  std::size_t server_ = 0;  // of the token's list
  ClientState state_ = ClientState::requesting;
  EndReason end_reason_ = EndReason::none;
  ChallengeText challenge_{};
  message::Welcome welcome_;
  std::uint64_t sequence_;  // of the next packet, whichever server it goes to
  ReplayWindow window_;
  Acks acks_;
  Path path_;
  std::unique_ptr<ReliableChannel> channel_;  // in mode follow, or for events
  Sequence commands_received_;
  std::uint32_t unsaid_ = 0;  // messages that have come since this side last spoke
  Nanoseconds unsaid_since_ = 0;
  Nanoseconds last_received_;  // or when this began
  Nanoseconds last_sent_ = 0;
  std::vector<std::uint8_t> message_;
  std::vector<std::uint8_t> payload_;
  std::vector<std::uint8_t> datagram_;
  alignas(16) std::array<std::uint8_t, kPacketBytesMax> text_;  // that was opened
};

}  // namespace orrery
