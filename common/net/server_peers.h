// Keeps the connected clients of a server, and finds them by id, address and account.
#pragma once

#include <cstdint>
#include <optional>

#include "common/core/ids.h"
#include "common/core/per_client.h"
#include "common/net/channel/congestion_control.h"
#include "common/net/channel/link.h"
#include "common/net/environment.h"
#include "common/net/fixed_map.h"
#include "common/net/gate/gate.h"
#include "common/net/gate/rate_limit.h"
#include "common/net/packet/address.h"
#include "common/net/packet/connect_token.h"
#include "common/net/packet/pieces.h"
#include "common/world/command.h"

namespace orrery::net {

// A client as the server sees it. A free slot has the default values.
struct ServerPeer {
  bool connected = false;
  bool joined = false;    // a valid hello has arrived
  bool follows = false;   // mode follow: the client gets commands instead of snapshots
  bool delta = false;     // mode delta: snapshots are differences
  bool events = false;    // asked for events, in mode plain or delta
  bool narrowed = false;  // the caller knows that the path drops large datagrams
  Role role = Role::watch;
  TokenOwner owner{};
  Seal seal{};                                         // tag of the private part of its token
  std::uint64_t move_next = 0;                         // lowest sequence of its next moved
  Nanoseconds timeout = 0;                             // silence that ends the connection
  Nanoseconds ticket_at = 0;                           // when it gets its next ticket
  Nanoseconds ticket_interval = kTicketIntervalFirst;  // from that ticket to the one after it
  Link link{};
  PieceAssembly pieces{};
  CongestionControl budget{};
  TokenBucket packets{1, 1, 0};
  TokenBucket queries{1, 1, 0};
  FloodMeter flood{1, 0};
};

// The clients of a server, including those that have not joined yet. Ids count from 1. The id of a
// client that left is used again. Memory is allocated in the constructor only.
class ServerPeers {
 public:
  // REQUIRES: 1 <= clients_max <= limits::kClientsMax; the environment outlives the table.
  ServerPeers(std::uint32_t clients_max, const NetEnvironment& environment);

  // Return a client. REQUIRES: the id is from 1 to capacity().
  ServerPeer& operator[](ClientId client) { return peers_[client]; }
  const ServerPeer& operator[](ClientId client) const { return peers_[client]; }

  // Return the client at an address, or of an account; or nothing.
  std::optional<ClientId> find(const Address& address) const;
  std::optional<ClientId> find(std::uint64_t account) const;
  // Returns true if a client has this address.
  bool contains(const Address& address) const { return by_address_.contains(address); }
  // Returns true if a client at this address is known to have left within the last second. More of
  // its disconnect packets may then still arrive.
  bool left_recently(const Address& address) const { return departed_.contains(address); }

  // Returns the lowest free id. REQUIRES: !is_full().
  ClientId lowest_free() const;
  // Adds a client under a free id. REQUIRES: the client is connected; no client has its address or
  // account.
  void add(ClientId client, ServerPeer peer);
  // Changes the address of a client. REQUIRES: the client has joined; no client has the address.
  void move(ClientId client, const Address& address, Nanoseconds now);
  // Frees the id of a client. REQUIRES: the client is connected.
  void remove(ClientId client, Nanoseconds now);
  // Forgets addresses whose client left more than a second ago. Of the time since the last call, at
  // most kServerPauseMin counts as silence of the clients.
  void update(Nanoseconds now);

  // Returns the number of clients, including those that have not joined yet.
  std::uint32_t count() const { return static_cast<std::uint32_t>(by_address_.size()); }
  // Returns the highest id that any client has had. A loop over all clients may end at this id.
  ClientId highest() const { return highest_; }
  // Returns the maximum number of clients, which is the highest possible id.
  std::uint32_t capacity() const { return peers_.size(); }
  bool is_full() const { return count() == capacity(); }

 private:
  void leave(const Address& address, Nanoseconds now);

  PerClient<ServerPeer> peers_;
  FixedMap<Address, ClientId> by_address_;
  FixedMap<std::uint64_t, ClientId> by_account_;
  FixedMap<Address, Nanoseconds> departed_;  // when the last client at an address left
  ClientId highest_{};
  Nanoseconds updated_ = 0;  // last update()
};

}  // namespace orrery::net
