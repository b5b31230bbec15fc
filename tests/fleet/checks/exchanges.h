// Checks the datagrams between the server and each address.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>

#include "server/server.h"
#include "tests/fleet/checks/violation.h"
#include "tests/fleet/network.h"

namespace orrery::fleet {

// Counts the bytes and challenges of each address, and checks five rules. The server must not
// amplify traffic. It must not answer a datagram that it drops. It must connect only addresses that
// received a challenge, each token once, and serve every client with snapshots regularly.
//
// server_sends() checks the datagram that it is given. The two other functions that return a
// violation check the response to the previous datagram.
class Exchanges {
 public:
  // Starts to watch a new server. REQUIRES: the server exists in all later calls of functions that
  // return a violation, until the next call of watch().
  void watch(const server::Server& server);
  // Records that a client received the challenge for its own request, which proves its address.
  void reached(const net::Address& address) { ++at(address).reached; }
  // Records that the client at `address` is connected and receives snapshots.
  void shown(const net::Address& address) { at(address).shown = true; }

  std::optional<Violation> server_sends(const net::Address& to, Bytes datagram);
  // Called when the server receives a datagram.
  std::optional<Violation> server_receives(const net::Datagram& datagram);
  // Called when the server's socket is empty.
  std::optional<Violation> server_has_heard_all();

 private:
  struct Exchange {
    // Bytes from and to the address since it was last connected.
    std::uint64_t in = 0;
    std::uint64_t out = 0;
    int reached = 0;  // challenges received at the address, without those that led to a connection
    // Used while the address is connected:
    bool shown = false;      // it receives snapshots
    std::uint64_t told = 0;  // tick of the last message to the address, or 0
  };

  // The datagram that the server is processing.
  struct Handled {
    net::Address from;
    bool damaged = false;
    bool asks = false;  // it is an undamaged request
    bool was_connected = false;
    std::uint64_t dropped_before = 0;
    std::uint64_t replaced_before = 0;
    std::uint64_t moves_before = 0;
    // Number of datagrams sent in response so far: denials with a reason, and all others.
    int refused = 0;
    int sent = 0;
  };

  Exchange& at(const net::Address& address) {
    return exchanges_[checksum(address.ip, address.port)];
  }
  bool connected(const net::Address& address) const {
    return server_->endpoint().peers().contains(address);
  }
  static void forget(Exchange& exchange);
  std::uint64_t dropped() const;
  std::uint64_t replaced() const { return server_->endpoint().counters().replacements; }
  std::uint64_t moves() const { return server_->endpoint().counters().moves; }
  std::optional<Violation> tell(const net::Address& to, Exchange& exchange, Bytes datagram);
  std::optional<Violation> judge();

  const server::Server* server_ = nullptr;
  std::unordered_map<std::uint64_t, Exchange> exchanges_;  // indexed by the hash of the address
  std::set<net::Seal> tokens_;  // those that connected, tickets among them
  std::optional<Handled> handled_;
  int drained_ = 0;  // datagrams so far in the current receive call of the server
};

}  // namespace orrery::fleet
