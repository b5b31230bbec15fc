// Owns what goes between the server and each address: who is answered, and who is let in.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "server/server.h"
#include "tests/fleet/checks/violation.h"
#include "tests/fleet/network.h"

namespace orrery::fleet {

// Each function that returns a violation judges what has happened since the one before.
class Exchanges {
 public:
  // A server that starts, and outlives the next call.
  void watch(const server::Server& server);
  // A client has taken the challenge that it had asked for: it is where it says that it is.
  void reached(const net::Address& address) { ++at(address).reached; }
  // A client there is connected, and does not follow.
  void shown(const net::Address& address) { at(address).shown = true; }

  std::optional<Violation> server_sends(const net::Address& to, Bytes datagram);
  // The server takes a datagram; or there is none for it.
  std::optional<Violation> server_receives(const net::Datagram& datagram);
  std::optional<Violation> server_has_heard_all();

 private:
  struct Exchange {
    // While the address is not connected: bytes.
    std::uint64_t in = 0;
    std::uint64_t out = 0;
    int reached = 0;  // challenges taken there that have made no connection yet
    // While it is: it is sent snapshots; and the tick in which it was sent a message last, or 0.
    bool shown = false;
    std::uint64_t told = 0;
  };

  // A datagram that the server is at.
  struct Handled {
    net::Address from;
    bool damaged = false;
    bool was_connected = false;
    std::uint64_t dropped_before = 0;
    int sent = 0;  // datagrams, so far
  };

  Exchange& at(const net::Address& address) {
    return exchanges_[checksum(address.ip, address.port)];
  }
  bool connected(const net::Address& address) const {
    return server_->endpoint().connected(address);
  }
  static void forget(Exchange& exchange);
  std::uint64_t dropped() const;
  std::optional<Violation> tell(Exchange& exchange, Bytes datagram);
  std::optional<Violation> judge();

  const server::Server* server_ = nullptr;
  std::unordered_map<std::uint64_t, Exchange> exchanges_;  // by address
  std::optional<Handled> handled_;
  int drained_ = 0;  // datagrams that the server has taken in one go
};

}  // namespace orrery::fleet
