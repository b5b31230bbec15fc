// The parts that all clients of attackers with valid tokens share.
#pragma once

#include <cstdint>
#include <deque>

#include "common/net/client_endpoint.h"
#include "tests/fleet/checks/invariants.h"
#include "tests/fleet/players/issuer.h"

namespace orrery::fleet {

// A client with a valid token and a machine. The attacker keeps its endpoint.
class Attacker {
 public:
  const net::Address& address() const { return machine_.address(); }

 protected:
  // `number` and `port` determine the address. REQUIRES: all references outlive the attacker.
  Attacker(Network& network, const net::Cipher& cipher, Issuer& issuer, Invariants& invariants,
           std::uint64_t seed, std::uint32_t number, std::uint16_t port)
      : network_(network),
        issuer_(issuer),
        invariants_(invariants),
        random_(seed),
        number_(number),
        machine_(network, cipher, mix64(seed), address_of(kOwnNetwork + number, port)) {}

  // Records the effect of a datagram on an endpoint, which was in state `before`.
  void heard(const net::Datagram& datagram, net::ClientState before,
             const net::ClientEndpoint& endpoint) {
    invariants_.heard(datagram, before, endpoint.state());
  }
  // Records the session of an endpoint once it is connected, if connected_at_ is 0. The commands of
  // a hostile session are not checked.
  void note_join(const net::ClientEndpoint& endpoint, bool hostile) {
    if (connected_at_ != 0 || endpoint.state() != net::ClientState::connected) return;
    connected_at_ = network_.now;
    sessions_.push_back({.client = endpoint.welcome().client, .hostile = hostile});
    invariants_.connected(sessions_.back());
  }

  Network& network_;
  Issuer& issuer_;
  Invariants& invariants_;
  SplitMix64 random_;
  const std::uint32_t number_;
  ClientMachine machine_;
  std::deque<Session> sessions_;       // a deque, because other objects keep pointers to them
  net::Nanoseconds connected_at_ = 0;  // 0: not connected since the last attempt
  bool gone_ = false;
};

}  // namespace orrery::fleet
