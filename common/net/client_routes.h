// Decides where a client sends its packets: to which address of its token, and by which route.
#pragma once

#include <cstdint>
#include <optional>

#include "common/net/channel/link.h"
#include "common/net/outbox.h"
#include "common/net/packet/connect_token.h"
#include "common/net/packet/packet.h"
#include "common/net/path_search.h"

namespace orrery::net {

// The address and the route of one connection. There are two searches for them:
//
// - While the client has no slot, it tries the servers of its token in turn.
// - While the server of a connected client is silent, the client also looks for another path: its
//   own address may have changed. It sends move to the addresses of the token, each time by a new
//   route, and answers the challenge. The server then continues the connection at the address of
//   that route. Meanwhile the connection stays as it is, because the server may only have paused.
class ClientRoutes {
 public:
  // REQUIRES: the token and the environment outlive this object.
  ClientRoutes(const ConnectToken& token, NetEnvironment& environment, Nanoseconds now);

  // Makes the following packets leave by the route of the connection.
  void use() { environment_.use_route(route_); }
  // Returns true if this is the route of the connection. Route 0 means any route.
  bool is_own(std::uint32_t route) const { return route == 0 || route == route_; }
  // Keeps the text of a challenge, and returns it.
  void keep_challenge(Bytes text);
  const ChallengeText& challenge() const { return challenge_; }

  // --- While the client has no slot ---

  // Returns the server to which the client sends.
  const Address& server() const { return search_.server(); }
  // Returns true if the token has expired, counted from the first request.
  bool has_expired(Nanoseconds now) const { return now > connect_until_; }
  // Returns true if each server that is left has had the timeout of the token to answer.
  bool has_tried_all(Nanoseconds now) const;
  // Returns true if another server is to be tried now.
  bool wants_next(Nanoseconds now) const { return search_.left() > 1 && search_.is_over(now); }
  // Turns to the next server.
  void next(Nanoseconds now);
  // Gives up the present server, and turns to the next one. Returns false if none is left.
  bool exclude(Nanoseconds now);

  // --- While the server of a connected client is silent ---

  // Sends the due packet of the search. `link` is the connection and seals the answer; `index` is
  // the number of the client at the server, from 0.
  void look(Link& link, std::uint32_t index, const PacketSealer& sealer, Outbox& out,
            Nanoseconds now);
  // Returns true if a datagram belongs to this search: it came from the address of the present try,
  // by its route. Route 0 means any route.
  bool is_from(const Address& from, std::uint32_t route) const {
    return other_ && from == other_->server() && (route == 0 || route == other_->route());
  }
  // Takes the challenge of the present try. REQUIRES: is_from() was true for it.
  void take_challenge(Bytes text, Nanoseconds now);
  // Takes a denial of the present try: the server at a place of the token's list has no such
  // connection. Returns false if this is the server of the connection, or if no other address is
  // left. REQUIRES: is_from() was true.
  bool take_denial(const Link& link, std::uint8_t server, Nanoseconds now);
  // Notes that the server was heard. `from_other`: is_from() was true for its packet. If the client
  // has answered a challenge there, the connection has moved. If it has not, the search ends: the
  // server had only paused. A packet of the old path says nothing once the client has answered. It
  // may have left before the server moved the connection.
  void settle(Link& link, bool from_other);
  // Returns true if look() has more to send, although the server may have been heard.
  bool is_looking() const { return other_.has_value(); }

 private:
  void begin_try(Nanoseconds now);

  const ConnectToken& token_;
  NetEnvironment& environment_;
  Nanoseconds began_;                // start, or when an address was given up
  const Nanoseconds connect_until_;  // start plus the lifetime of the token
  PathSearch search_;
  std::uint32_t route_;              // of the connection
  std::optional<PathSearch> other_;  // the search for another path
  ChallengeText challenge_{};
  bool challenged_ = false;  // other_ has received a challenge
  bool answers_ = false;     // the next packet of other_ is moved
  Nanoseconds send_at_ = 0;  // when it is due
};

// Returns the token's lifetime, at most a century so that nanoseconds do not overflow.
Nanoseconds life_of(const ConnectToken& token);
// Returns the time for which the server may be silent before the connection ends. 0: without limit.
Nanoseconds timeout_of(const ConnectToken& token);

}  // namespace orrery::net
