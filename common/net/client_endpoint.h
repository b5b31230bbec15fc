// Implements the client's side of a connection.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "common/codec/end_reason.h"
#include "common/codec/message_codec.h"
#include "common/core/ids.h"
#include "common/net/channel/link.h"
#include "common/net/client_routes.h"
#include "common/net/environment.h"
#include "common/net/outbox.h"
#include "common/net/packet/connect_token.h"
#include "common/net/packet/packet.h"
#include "common/net/packet/payload.h"
#include "common/net/packet/pieces.h"
#include "common/net/timing.h"

namespace orrery::net {

// The state of a client's connection. A connection passes through the states in this order. It may
// end in each of them, and returns to `requesting` to try the next server of the token.
enum class ClientState : std::uint8_t {
  requesting,  // sends its token until a challenge arrives
  responding,  // answers the challenge until a keep-alive says that the client has a slot
  greeting,    // sends hello until the welcome arrives
  connected,
  ended,
};

// A message from the server to a connected client.
struct ServerMessage {
  MessageType type = MessageType::snapshot;  // snapshot, delta, answer or reliable
  Bytes message;                             // valid until the next receive(); empty if reliable
};

// A resumption ticket, and when it expires by this client's clock.
struct Ticket {
  ConnectToken token;
  Nanoseconds until = 0;
};

// The resumption tickets that a client keeps: the two newest. It uses the older one first, because
// a server then voids only this one and those before it. If the new connection ends before another
// ticket has arrived, one is left.
class KeptTickets {
 public:
  // Adds a ticket that is newer than the others.
  void add(const Ticket& ticket) {
    if (newer_) older_ = newer_;
    newer_ = ticket;
  }
  // Adds the tickets of a later connection.
  void add(const KeptTickets& later) {
    if (later.older_) add(*later.older_);
    if (later.newer_) add(*later.newer_);
  }
  // Returns the ticket to use next, or nullptr. Forgets those that have expired.
  const Ticket* next(Nanoseconds now) {
    for (std::optional<Ticket>* ticket : {&older_, &newer_}) {
      if (*ticket && now >= (*ticket)->until) ticket->reset();
    }
    return older_ ? &*older_ : newer_ ? &*newer_ : nullptr;
  }
  // Forgets the ticket that next() returned. REQUIRES: it returned one.
  void drop_next() {
    ORRERY_ASSERT(older_ || newer_);
    (older_ ? older_ : newer_).reset();
  }
  // Forgets all.
  void clear() { *this = {}; }

 private:
  std::optional<Ticket> older_;
  std::optional<Ticket> newer_;
};

// The data that a client keeps of the packets of its server.
struct Heard {
  PieceAssembly pieces;
  bool narrowed = false;  // the server found that the path drops large datagrams
  codec::message::Welcome welcome;
  KeptTickets tickets;
  command::Reason goodbye;  // the text of the goodbye
  // From reliable messages. Its margin is the least since the last take_report().
  codec::CommandReport report;
};

// The client's side of one connection, as a state machine without sockets, clock or threads.
//
// After the constructor, repeat once per frame or tick: call receive() for every datagram that
// arrived, then update() with the current time. Stop when state() is `ended`. The endpoint sends
// through its NetEnvironment. The handshake is:
//
//   client                                  server
//   request (connect token)            ->
//                                      <-   challenge
//   response (the challenge)           ->
//                                      <-   keep-alive: the client has a slot
//   hello (protocol, schema, mode)     ->
//                                      <-   welcome (id, role, scene): connected
//
// Messages use the payload header of payload.h. Inputs, queries, answers and snapshots may be lost.
// Reliable messages arrive in order.
//
// If a connected server falls silent, the endpoint looks for another path to it (ClientRoutes). A
// server that has lost the connection says so, and the connection then ends long before its
// timeout. A server that is paused answers nothing, so its connections last.
class ClientEndpoint {
 public:
  // Starts to connect, to each of the token's servers in turn until one accepts (PathSearch).
  // `mode` decides how the client receives the world (codec::message::Mode). In modes plain and
  // delta, snapshots arrive as unreliable messages; `events` asks for reliable messages with events
  // as well. In mode follow, reliable messages with the commands of each tick take the place of
  // snapshots.
  //
  // REQUIRES: the environment outlives the endpoint; the token names at least one server.
  ClientEndpoint(NetEnvironment& environment, const ConnectToken& token, Nanoseconds now,
                 bool events = false, codec::message::Mode mode = codec::message::Mode::plain);
  ClientEndpoint(const ClientEndpoint&) = delete;  // members refer to each other
  ClientEndpoint& operator=(const ClientEndpoint&) = delete;

  // Handles one datagram from the network. Returns its message, if there is one for the caller.
  //
  // Ignores datagrams from other addresses, repeats, and packets that the token's key cannot
  // decrypt. May send an answer, and may change state(). `route` is the route by which the datagram
  // came (NetEnvironment::open_route), or 0 if the caller has only one. The result is one of:
  //
  // - snapshot, delta or answer: the message, valid until the next call.
  // - reliable: call next_message() until it returns nothing.
  // - nothing: the packet was ignored, or was for the endpoint only.
  std::optional<ServerMessage> receive(const Address& from, Bytes datagram, Nanoseconds now,
                                       std::uint32_t route = 0);

  // Repeats unanswered packets, and sends acknowledgements and keep-alives. After a timeout, tries
  // the next server if the client has no slot yet, or ends the connection. If the server of a
  // connected client is silent for kReturnAfter, looks for another path to it (ClientRoutes).
  // `commands_wait`: commands may wait at the server, so the connection lasts for
  // kCommandsWaitMax. Call it after all waiting datagrams were received.
  void update(Nanoseconds now, bool commands_wait = false);

  // Sends an unreliable message: input, query or frame_ack. REQUIRES: state() is connected.
  void send(MessageType type, Bytes message, Nanoseconds now);

  // --- Reliable messages ---

  // Returns the next whole reliable message, or nothing. It is valid until the next call of
  // next_message() or receive(). Call it after receive() has returned a message of type reliable.
  std::optional<Bytes> next_message();
  // Returns the report of the server about the commands of this client, from reliable messages: the
  // number up to which the server has settled all commands, and the least margin
  // (codec::CommandMargin) since the last call. Snapshots contain such a report too.
  codec::CommandReport take_report() {
    return {heard_.report.input, std::exchange(heard_.report.margin, {})};
  }
  // Gives the connection a reliable message. It is sent with the next update(). REQUIRES: mode
  // follow; state() is connected; at most kBytesToServerMax bytes; all fragments of earlier
  // messages have room in the window of kFragmentsToServer fragments.
  void queue_reliable(SharedBytes message);
  // Returns true if the server has acknowledged every message that was given to queue_reliable().
  bool reliable_idle() const { return link_.sender().idle(); }

  // Ends the connection with the reason timed_out, because its path carries none of its packets any
  // more. Has no effect before a server has given this client a slot, or after the end.
  void lose() {
    if (state_ == ClientState::greeting || state_ == ClientState::connected) {
      end(EndReason::silent);
    }
  }

  // Ends the connection. Sends the server several copies of the disconnect packet, unless state()
  // is requesting: the server then has no slot for this client.
  void disconnect(Nanoseconds now);

  // Returns true if the client is connected and its server has been silent for kSilentAfter.
  bool is_silent(Nanoseconds now) const {
    return state_ == ClientState::connected && link_.silence(now) > kSilentAfter;
  }
  // Returns the state.
  ClientState state() const { return state_; }
  // Returns the reason of the end. Before it, returns the refusal after which the client continues
  // to ask, or none.
  EndReason end_reason() const {
    return state_ == ClientState::ended || end_reason_ != EndReason::no_answer ? end_reason_
                                                                               : EndReason::none;
  }
  // Returns the address of the server that this client sends to.
  const Address& server() const { return link_.address(); }
  // Returns the welcome of the server. REQUIRES: state() is connected, or was before it ended.
  const codec::message::Welcome& welcome() const { return heard_.welcome; }
  // Returns estimates of round trip, jitter and loss.
  const PathEstimator& path() const { return link_.path(); }
  // Returns the data that the client keeps of the server. With a resumption ticket among them
  // (ticket.h), the next endpoint can connect without another token.
  const Heard& heard() const { return heard_; }

 private:
  std::optional<ServerMessage> on_payload(Bytes text, Nanoseconds now);
  std::optional<ServerMessage> on_reliable(Bytes message, Nanoseconds now);
  // Enters a state of the handshake and sends its packet.
  void enter(ClientState state, Nanoseconds now);
  void end(EndReason reason);
  void next_server(EndReason reason, Nanoseconds now);
  // Sends the packet that the current state repeats: request, response, hello or keep-alive.
  void speak(Nanoseconds now);
  // Sends a datagram with acknowledgements and the reliable fragments that may be sent now. If no
  // fragment may be sent, sends a datagram only if `even_if_none` is true. Returns true if it sent
  // one.
  bool send_reliable(bool even_if_none, Nanoseconds now);

  const ConnectToken token_;
  const codec::message::Hello hello_;
  const PacketSealer sealer_;
  Link link_;
  Outbox out_;
  ClientRoutes routes_;
  ClientState state_ = ClientState::requesting;
  // The reason of the end, once ended. Before that, the reason to use if the server stays silent:
  // no_answer, or a refusal after which the client continues to ask.
  EndReason end_reason_ = EndReason::no_answer;
  Heard heard_;
  std::vector<std::uint8_t> message_;                           // scratch: an outgoing message
  alignas(16) std::array<std::uint8_t, kPacketBytesMax> text_;  // text of the last opened packet
};

}  // namespace orrery::net
